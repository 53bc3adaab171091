% SPDX-License-Identifier: MIT
% Single-precision matrix products in GNU Octave. Saves operands and results to the first argument (MAT file),
% with the keys of products_numpy.py.
1;
function saved = keep(saved, name, a, b, out)
  saved.([name "_a"]) = a;
  saved.([name "_b"]) = b;
  saved.([name "_out"]) = out;
  saved.([name "_calls"]) = 1;
end

rand("twister", 42);
uniform = @(rows, columns) single(2 * rand(rows, columns) - 1);
saved = struct();

a = uniform(37, 53); b = uniform(53, 29);
saved = keep(saved, "plain", a, b, a * b);
a = uniform(31, 64); b = uniform(31, 45);
saved = keep(saved, "transposed_a", a', b, a' * b);
a = uniform(64, 31); b = uniform(45, 31);
saved = keep(saved, "transposed_b", a, b', a * b');
a = uniform(3, 257); b = uniform(257, 5);
saved = keep(saved, "long_k", a, b, a * b);

save("-v6", argv(){1}, "-struct", "saved");
