% SPDX-License-Identifier: MIT
% A chain of single-precision products in GNU Octave, and a system solved. Arguments: N, and how often.
% Ends with the line of JSON that timed.py writes.
1;
size_of_all = str2double(argv(){1}); repeats = str2double(argv(){2});
randn("twister", 1);
factors = 3; checked = 16; roundoff = 2 ^ -24;
gamma_of = @(roundings) roundings * roundoff / (1 - roundings * roundoff);
start = randn(size_of_all, "single");
factor = cell(1, factors);
for i = 1:factors
  factor{i} = randn(size_of_all, "single") / single(sqrt(size_of_all));
end
seconds = zeros(1, repeats);
for turn = 1:repeats
  products = {start};
  begin = tic;
  for i = 1:factors
    products{i + 1} = products{i} * factor{i};
  end
  [lower, upper, swapped] = lu(products{2}, "vector");
  seconds(turn) = toc(begin);
end

rows = randperm(size_of_all, min(checked, size_of_all));
worst = 0;
for i = 1:factors + 1
  if i <= factors
    left = double(products{i}(rows, :)); right = double(factor{i}); result = products{i + 1}(rows, :);
  else
    left = double(lower(rows, :)); right = double(upper); result = products{2}(swapped(rows), :);
  end
  share = abs(double(result) - left * right) ./ (gamma_of(size_of_all + 1) * (abs(left) * abs(right)));
  if (! all(share(:) <= 1))
    share = 1e300;  % no number would be no JSON
  end
  worst = max(worst, max(share(:)));
end
printf("{\"first_s\": %.6f, \"best_s\": %.6f, \"error_of_allowed\": %g}\n", seconds(1), min(seconds), worst);
if (worst > 1)
  error("a product or the factors are wrong");
end
