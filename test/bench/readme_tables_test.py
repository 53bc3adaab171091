#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
