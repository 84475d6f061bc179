"""Small invented books with names and constructs that generators treat in their own ways, one for each generator.

Words that begin with `zq` are hidden from the readers of the site: in drafts, comments, scripts and the like.
"""
