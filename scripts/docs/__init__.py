"""The generated parts of the documentation: reference pages made from the code, outputs made by running commands.

python -m scripts.docs            rewrite them
python -m scripts.docs --check    exit 1 and name the files that differ
"""
