# SPDX-License-Identifier: MIT
"""Programs that know nothing of us, run with and without libladderblas: each must be right, and every call counted.

What a program calls is not taken from the library: the program says it, or cuBLAS's own log of a run without us.
"""
import collections
import concurrent.futures
import dataclasses
import importlib.util
import pathlib
import re
import sys
import tempfile

from checks import HERE, last_line, preload_environment, preloaded, run, with_library, without_library, words

PARALLEL_PROGRAMS = 8
PARALLEL_REFERENCES = 4  # beside them: runs without us, which those with us wait for
RUNGS = {"0": "cublas", "1": "naive", "4": "thread_tile_1d", "9": "double_buffered"}
DEFAULT_RUNG = RUNGS["9"]
TF32_RUNG = "tf32"
AUTO = "auto"
NO_WORK = "none"  # who serves a product without elements


@dataclasses.dataclass
class Program:
    """`module`: the Python package that it needs; `every_rung`: that is as good as FP32; `tensor_cores`: those of them that
    are on tensor cores; `large`: it has products that no rung declines; `verdicts`: it writes a verdict a sample to the
    file after --out."""
    title: str
    command: list
    module: str = ""
    extra: dict = dataclasses.field(default_factory=dict)
    every_rung: bool = False
    tensor_cores: bool = False
    large: bool = False
    verdicts: bool = False


def python(name, *arguments):
    return [sys.executable, HERE / name, *arguments]


def counting_programs(build):
    """They say how often they called."""
    binary = build / "test/gpu"
    found = [Program("cuBLAS program", [binary / "app_cublas"], every_rung=True, large=True),
             Program("cuBLAS program, batched and typed", [binary / "app_cublas_typed"], every_rung=True),
             Program("PyTorch torch.bmm", python("app_torch_bmm.py"), "torch", every_rung=True),
             Program("PyTorch torch.mm", python("app_torch.py"), "torch", every_rung=True, large=True),
             Program("NumPy", python("app_numpy.py"), "numpy", {"LADDER_DEVICE": "gpu"}, every_rung=True, large=True)]
    titles = {"app_cublaslt": "cuBLASLt program", "app_graphs": "CUDA graphs of every function",
              "app_devices": "devices, contexts and handles", "app_threads": "handles and threads",
              "app_modes": "math modes and compute types"}
    concurrent_ones = ("app_graphs", "app_devices", "app_threads")
    return found + [Program(title, [binary / name], tensor_cores=name in concurrent_ones)
                    for name, title in titles.items() if (binary / name).exists()]


def logged_programs(build):
    """cuBLAS says how often they called."""
    found = [Program("PyTorch OpInfo samples", python("app_torch_opinfo.py"), "torch", verdicts=True),
             Program("CuPy", python("app_cupy.py"), "cupy")]
    found += [Program(f"PyTorch, first call captured, {name}", python("app_torch_capture.py", name), "torch")
              for name in ("mm", "bmm", "linear")]
    cusolver = build / "test/gpu/app_cusolver"
    return found + ([Program("cuSOLVER program", [cusolver])] if cusolver.exists() else [])


class Checker:
    """Runs programs side by side and files what came of them."""

    def __init__(self, results, build, logs, precisions):
        """`precisions`: of each rung, by its name."""
        self.results, self.build, self.logs, self.rung_names = results, build, logs, list(precisions)
        self.fp32_rungs = [name for name, precision in precisions.items() if precision != "tf32"]
        self.tensor_rungs = [name for name in self.fp32_rungs if precisions[name] != "fp32"]
        self.rows = []

    def declined(self, outcome, rung):
        """Calls that a rung on the tensor cores left to one below it: the log says why."""
        below = (DEFAULT_RUNG, *self.tensor_rungs)
        return sum(calls for (_, name, why), calls in outcome.calls.items()
                   if rung in self.tensor_rungs and name != rung and name in below and why.startswith("fallback:"))

    def file(self, title, served_by, problems, outcome, doors):
        verdict = "failed" if problems else "passed"
        self.rows.append({"program": title, "served_by": served_by, "verdict": verdict, "seconds": f"{outcome.seconds:.1f}",
                          "calls": " ".join(f"{door}:{number}" for door, number in sorted(doors.items())),
                          "said": last_line(outcome.output)})
        name = re.sub(r"\W+", "-", f"{title}-{served_by}")
        (self.logs / f"{name}.log").write_text(outcome.output)
        who = {"cuBLAS": "without us", "default": "with us, no LADDER_RUNG"}.get(served_by, f"with us, LADDER_RUNG={served_by}")
        if problems:
            problems = [f"exit {outcome.code}"] + problems + [last_line(outcome.output)]
        self.results.add(verdict, f"{title}, {who}", "; ".join(problems) or f"{words(doors)}; {last_line(outcome.output)}")
        return not problems

    def rows_in_order(self):
        """One for each run of a program: what it called, and what it said at its end."""
        return sorted(self.rows, key=lambda row: (row["program"], row["served_by"]))

    def missing(self, program):
        if program.module and importlib.util.find_spec(program.module) is None:
            self.results.add("skipped", program.title, f"this Python has no {program.module}")
            return True
        return False

    def check_counting(self, program, pool):
        """The number that the program says is the number of calls on the rung, and of those that it declined."""
        if self.missing(program):
            return
        plain = without_library(program.command)
        number = int((re.search(r"called .* (\d+) times", plain.output) or [0, 0])[1])
        problems = [] if plain.code == 0 and number else [f"{number} calls"]
        if not self.file(program.title, "cuBLAS", problems, plain, plain.doors):
            return

        def check(rung):
            outcome = preloaded(program.command, self.build, rung, program.extra)
            hits, declined = outcome.by_rung()[rung], self.declined(outcome, rung)
            wrong = [] if outcome.code == 0 and hits + declined == number else [f"{hits} of {number} calls on the rung"]
            wrong += ["the rung declined all of it"] if program.large and hits == 0 else []
            self.file(program.title, rung, wrong, outcome, outcome.doors)

        some = [*RUNGS.values(), *(self.tensor_rungs if program.tensor_cores else [])]
        list(pool.map(check, self.fp32_rungs if program.every_rung else some))

    def check_logged(self, program, pool):
        """The calls in cuBLAS's own log, door by door, are the calls on the rung; so are the verdicts."""
        if self.missing(program):
            return
        plain, expected = self.run_apart(program, without_library)
        worked = bool(expected) if program.verdicts else plain.code == 0
        if not self.file(program.title, "cuBLAS", [] if worked and plain.doors else ["no calls"], plain, plain.doors):
            return

        def check(rung):
            outcome, verdicts = self.run_apart(program, lambda command: preloaded(command, self.build, rung))
            wrong = [] if outcome.code == plain.code else ["another exit code"]
            if outcome.doors != plain.doors:
                wrong.append(f"{words(outcome.doors)} instead of {words(plain.doors)}")
            elsewhere = {name: calls for name, calls in outcome.by_rung().items() if name not in (rung, NO_WORK)}
            wrong += [f"elsewhere: {words(elsewhere)}"] if elsewhere else []
            wrong += ["other verdicts"] if verdicts != expected else []
            self.file(program.title, rung, wrong, outcome, outcome.doors)

        list(pool.map(check, RUNGS.values()))

    @staticmethod
    def run_apart(program, run_command):
        """The outcome, and the verdicts where the program writes them, from a folder of its own."""
        with tempfile.TemporaryDirectory() as folder:
            verdicts = pathlib.Path(folder) / "verdicts"
            outcome = run_command([*program.command, *(["--out", verdicts] if program.verdicts else [])])
            lines = verdicts.read_text().splitlines() if verdicts.exists() else []
        return outcome, [" ".join(line.split()[:3]) for line in lines]

    def check_modes(self, override):
        """With no rung asked for, TF32 is the business of its rung, unless the environment forbids TF32."""
        extra = {"NVIDIA_TF32_OVERRIDE": "0"} if override else {}
        title = "PyTorch's modes" + (", NVIDIA_TF32_OVERRIDE=0" if override else "")
        program = Program(title, python("app_torch_modes.py"), "torch")
        if self.missing(program):
            return
        plain = without_library(program.command, extra)
        if not self.file(title, "cuBLAS", [] if plain.code == 0 and plain.doors else ["no calls"], plain, plain.doors):
            return
        tf32_calls = 0 if override else 2  # a product and a batch of them
        wishes = [None] if override or not self.tensor_rungs else [None, *self.tensor_rungs, AUTO]
        for wish in wishes:
            outcome = preloaded(program.command, self.build, wish, extra)
            wrong = [] if outcome.code == 0 else ["wrong results"]
            if wish is None:
                wrong += self.wrong_by_default(outcome, tf32_calls)
            else:
                wrong += self.wrong_on_tensor_cores(outcome, wish)
            if outcome.doors != plain.doors:
                wrong.append(f"{words(outcome.doors)} instead of {words(plain.doors)}")
            self.file(title, wish or "default", wrong, outcome, outcome.doors)

    @staticmethod
    def wrong_by_default(outcome, wanted):
        """So many calls were on the rung for TF32, and all others on the default one."""
        names = outcome.by_rung()
        tf32 = outcome.calls_where(TF32_RUNG, "tf32")
        wrong = [] if names[TF32_RUNG] == tf32 == wanted else [f"{tf32} of {wanted} calls in TF32"]
        rest = {name: calls for name, calls in names.items() if name not in (DEFAULT_RUNG, TF32_RUNG, NO_WORK)}
        return wrong + ([f"elsewhere: {words(rest)}"] if rest else [])

    def wrong_on_tensor_cores(self, outcome, wish):
        """What is large was on the tensor cores, as the wish said, and what was not says why."""
        names = outcome.by_rung()
        hits = sum(names[rung] for rung in (self.tensor_rungs if wish == AUTO else [wish]))
        elsewhere = {name: calls for name, calls in names.items() if name not in (DEFAULT_RUNG, NO_WORK, *self.tensor_rungs)}
        wrong = [f"elsewhere: {words(elsewhere)}"] if elsewhere else []
        wrong += [] if hits else ["nothing was on the tensor cores"]
        explained = hits + names[NO_WORK] + self.declined(outcome, wish)
        if wish != AUTO and explained != sum(names.values()):
            wrong.append(f"{sum(names.values()) - explained} calls left the rung without a word")
        return wrong

    def check_tf32(self, override):
        """Every math mode and compute type that allows TF32, with no rung asked for: the program says how many do."""
        who, extra = (TF32_RUNG, "tf32"), {}
        if override:
            who, extra = (DEFAULT_RUNG, "NVIDIA_TF32_OVERRIDE"), {"NVIDIA_TF32_OVERRIDE": "0"}
        outcome = preloaded([self.build / "test/gpu/app_modes"], self.build, None, extra)
        allowed = int((re.search(r"allowed TF32 in (\d+)", outcome.output) or [0, 0])[1])
        served = collections.Counter()
        for (_, name, why), calls in outcome.calls.items():
            served[name, why] += calls
        hits = served.pop(who, 0)
        wrong = [] if outcome.code == 0 and hits == allowed > 0 else [f"{hits} of {allowed} served by {who}"]
        wrong += [] if list(served) == [(DEFAULT_RUNG, "default")] else [f"elsewhere: {dict(served)}"]
        title = "math modes and compute types" + (", NVIDIA_TF32_OVERRIDE=0" if override else "")
        self.file(title, "default", wrong, outcome, outcome.doors)

    def check_jax(self, rung):
        """JAX is reached by the auditor alone; its products of full precision are on the rung."""
        program = Program("JAX under ladder run --audit", python("app_jax.py"), "jax")
        if self.missing(program):
            return
        log = self.logs / f"jax-{rung or 'default'}.calls"
        log.unlink(missing_ok=True)
        command = [self.build / "tools/ladder", "run", "--audit", "--log", "call", "--log-file", log]
        outcome = with_library([*command, *(["--rung", rung] if rung else []), "--", *program.command], {}, log)
        names = outcome.by_rung()
        wrong = [] if outcome.code == 0 else ["wrong"]
        wrong += [] if names[rung or DEFAULT_RUNG] else ["nothing was intercepted on the rung"]
        if rung is None:
            elsewhere = sum(calls for (_, name, why), calls in outcome.calls.items()
                            if name not in (DEFAULT_RUNG, NO_WORK) and (name, why) != (TF32_RUNG, "tf32"))
        else:
            elsewhere = sum(calls for name, calls in names.items() if name not in (rung, NO_WORK))
        wrong += [f"{elsewhere} calls elsewhere"] if elsewhere else []
        self.file(program.title, rung or "default", wrong, outcome, outcome.doors)

    def check_all(self):
        """Every program, as many at once as the machine has room for."""
        with concurrent.futures.ThreadPoolExecutor(PARALLEL_PROGRAMS) as pool, \
                concurrent.futures.ThreadPoolExecutor(PARALLEL_REFERENCES) as leaders:
            jobs = [leaders.submit(self.check_logged, program, pool) for program in logged_programs(self.build)]
            jobs += [leaders.submit(self.check_counting, program, pool) for program in counting_programs(self.build)]
            jobs += [leaders.submit(check, override) for check in (self.check_modes, self.check_tf32)
                     for override in (False, True)]
            jobs += [leaders.submit(self.check_jax, rung) for rung in (None, RUNGS["1"], RUNGS["9"])]
            jobs.append(leaders.submit(self.check_statuses))
            for job in jobs:
                job.result()

    def check_statuses(self):
        """Whatever cuBLAS says alone, statuses, complaints and C, is also said whoever serves the calls."""
        program = self.build / "test/gpu/app_statuses"

        def statuses(env):
            code, output = run([program], env=env)
            return code, re.findall(r"(?m)^(?: \*\* .*\n)*status of .*$", output)  # complaints come before their status

        expected = statuses({})
        for rung in self.rung_names:
            with tempfile.TemporaryDirectory() as folder:
                seen = statuses(preload_environment(self.build, rung, pathlib.Path(folder) / "calls"))
            missing = [line for line in expected[1] if line not in set(seen[1])]
            same = expected[0] == seen[0] == 0 and len(expected[1]) > 0 and not missing
            self.results.add("passed" if same else "failed", f"cuBLAS's statuses, LADDER_RUNG={rung}",
                             f"{len(expected[1])} calls{'' if same else f', exit {seen[0]}, not as alone: {missing[:3]}'}")
