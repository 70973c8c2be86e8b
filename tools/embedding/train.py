"""Trains the built-in embedding table; see README.md."""

import argparse
import json
import pathlib
import re

import numpy as np
import scipy.sparse as sp
from tokenizers import Tokenizer

DIMENSIONS = 256
BATCH = 1024
TEMPERATURE = 0.05


def broken_up(text):
    """Splits identifiers into words, as the program does before tokenizing."""
    return re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text).replace("_", " ")


def shares(tokenizer, texts, most):
    """The share of each piece in each text; multiplied by the table, it gives the vectors."""
    starts, pieces, values = [0], [], []
    for encoded in tokenizer.encode_batch([broken_up(t) for t in texts], add_special_tokens=False):
        ids, counts = np.unique(np.array(encoded.ids[:most], int), return_counts=True)
        pieces.append(ids)
        values.append(counts / max(1, counts.sum()))
        starts.append(starts[-1] + len(ids))
    data = np.concatenate(values).astype(np.float32)
    shape = (len(texts), tokenizer.get_vocab_size())
    return sp.csr_matrix((data, np.concatenate(pieces), starts), shape=shape)


def ridge(inputs, targets, caution=0.05, steps=25):
    """Ridge regression by conjugate gradients: the table whose means approximate the targets."""
    across = inputs.T.tocsr()
    table = np.zeros((inputs.shape[1], targets.shape[1]), np.float32)
    rest = across @ targets
    direction, size = rest.copy(), (rest * rest).sum(0)
    for _ in range(steps):
        image = across @ (inputs @ direction) + caution * direction
        step = size / np.maximum((direction * image).sum(0), 1e-12)
        table += step * direction
        rest -= step * image
        new = (rest * rest).sum(0)
        direction = rest + (new / np.maximum(size, 1e-12)) * direction
        size = new
    return table


def unit(vectors):
    length = np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-6
    return vectors / length, length


def softmax(scores, axis):
    powers = np.exp(scores - scores.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def contrast(table, questions, answers, epochs=8, rate=0.0006):
    """Symmetric in-batch contrastive training with Adam."""
    mean, square, step = np.zeros_like(table), np.zeros_like(table), 0
    count = questions.shape[0]
    total = epochs * (count // BATCH)
    random = np.random.default_rng(0)
    for epoch in range(epochs):
        order = random.permutation(count)
        for start in range(0, count - BATCH + 1, BATCH):
            rows = order[start : start + BATCH]
            asked, told = questions[rows], answers[rows]
            (q, q_length), (a, a_length) = unit(asked @ table), unit(told @ table)
            scores = q @ a.T / TEMPERATURE
            error = (softmax(scores, 1) + softmax(scores, 0)) / 2 - np.eye(BATCH, dtype=np.float32)
            error /= BATCH * TEMPERATURE
            to_q, to_a = error @ a, error.T @ q
            to_q = (to_q - q * (to_q * q).sum(1, keepdims=True)) / q_length
            to_a = (to_a - a * (to_a * a).sum(1, keepdims=True)) / a_length
            slope = asked.T @ to_q + told.T @ to_a
            step += 1
            pace = rate * min(1, step / 50) * 0.5 * (1 + np.cos(np.pi * step / total))
            mean = 0.9 * mean + 0.1 * slope
            square = 0.999 * square + 0.001 * slope * slope
            table -= pace * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        print(f"epoch {epoch + 1} of {epochs}", flush=True)
    return table


def ordered(table, inputs):
    """Rotates the table so that its dimensions are sorted by singular value."""
    vectors, _ = unit(inputs @ table)
    _, _, axes = np.linalg.svd(vectors, full_matrices=False)
    return (table @ axes.T).astype(np.float32)


def write(table, tokenizer, out):
    scale = np.abs(table).max(1, keepdims=True) / 127 + 1e-12
    np.round(table / scale).astype(np.int8).tofile(out / "static-256.i8")
    scale[:, 0].astype("<f4").tofile(out / "static-256.scale.f32")
    pieces = sorted(tokenizer.get_vocab().items(), key=lambda piece: piece[1])
    (out / "vocab.txt").write_text("".join(f"{piece}\n" for piece, _ in pieces), encoding="utf8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokenizer", required=True, help="tokenizer.json of the model to learn from")
    parser.add_argument("--rows", required=True, help="its vector of each piece by itself, 256 numbers each (.npy)")
    parser.add_argument("--texts", required=True, help="a list of texts (.json)")
    parser.add_argument("--vectors", required=True, help="its vectors of those texts (.npy)")
    parser.add_argument("--pairs", required=True, help="a list of pairs of texts that belong together (.json)")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    args = parser.parse_args()

    tokenizer = Tokenizer.from_file(args.tokenizer)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    inputs = shares(tokenizer, json.load(open(args.texts, encoding="utf8")), 128)
    targets = np.load(args.vectors).astype(np.float32)
    targets -= targets.mean(0)
    _, _, axes = np.linalg.svd(targets[:20000], full_matrices=False)
    table = ridge(inputs, targets @ axes[:DIMENSIONS].T)

    # Pieces that occur in no text keep their initial direction with little weight.
    rows = np.load(args.rows).astype(np.float32)
    seen = np.asarray(inputs.sum(0) > 0).ravel()
    table[~seen] = rows[~seen] * (0.3 * np.abs(table[seen]).std() / np.abs(rows[~seen]).std())

    pairs = json.load(open(args.pairs, encoding="utf8"))
    questions = shares(tokenizer, [question for question, _ in pairs], 64)
    answers = shares(tokenizer, [answer for _, answer in pairs], 256)
    table = ordered(contrast(table, questions, answers), inputs[:20000])
    args.out.mkdir(parents=True, exist_ok=True)
    write(table, tokenizer, args.out)


if __name__ == "__main__":
    main()
