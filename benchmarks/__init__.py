# Copyright 2026 ik_node contributors
# SPDX-License-Identifier: Apache-2.0
"""
How fast and how reliable ik_node is, beside its peers, on the machine at hand.

    python3 dev.py bench                      # everything
    python3 dev.py bench far near --targets 300 --json out.json --plot out.png

`robots` and `chain` give every solver the same kinematics, `targets` the same questions, `judge`
asks Pinocchio whether an answer is one, `measure` takes the times of all solvers in one run,
`statistics` sums them up, `report`, `machine` and `plot` write it down. `solvers/` has one module
a solver, `suites/` one a question. docs/benchmarks.md says what the numbers mean.
"""
