"""Networks, the files of trained players, and what is made from a run: a published player, an ONNX file."""
