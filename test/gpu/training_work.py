# SPDX-License-Identifier: MIT
"""A transformer of GPT-2's size in plain PyTorch, and a text that it can learn. Attention is spelled out in products and
nothing is dropped at random, so that all products go through cuBLAS and two runs differ by rounding alone."""
import dataclasses
import math

import torch
from torch import nn

SUCCESSOR_CHANCES = (0.5, 0.2, 0.12, 0.08, 0.06, 0.04)  # of the tokens that may follow a token
LARGEST_GRADIENT_NORM = 1.0
LEARNING_RATE = 6e-4
WARM_UP_STEPS = 20
BETAS = (0.9, 0.95)
WEIGHT_DECAY = 0.1


@dataclasses.dataclass(frozen=True)
class Size:
    """What is trained, and on how much in a step."""
    layers: int
    width: int
    heads: int
    vocabulary: int
    batch: int
    length: int


GPT2 = Size(layers=12, width=768, heads=12, vocabulary=50304, batch=16, length=512)  # 50257, and up to whole 64s
SMALL = Size(layers=2, width=64, heads=2, vocabulary=512, batch=8, length=64)


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.heads = size.heads
        self.inward = nn.Linear(size.width, 3 * size.width)
        self.outward = nn.Linear(size.width, size.width)
        self.register_buffer("later", torch.ones(size.length, size.length, dtype=torch.bool).triu(1), persistent=False)

    def forward(self, x):
        batch, length, width = x.shape
        query, key, value = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                             for part in self.inward(x).split(width, dim=-1))
        scores = query @ key.transpose(-2, -1) / math.sqrt(width / self.heads)
        weights = scores.masked_fill(self.later, -math.inf).softmax(-1)
        return self.outward((weights @ value).transpose(1, 2).reshape(batch, length, width))


class Layer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.before_attention = nn.LayerNorm(size.width)
        self.attention = Attention(size)
        self.before_network = nn.LayerNorm(size.width)
        self.network = nn.Sequential(nn.Linear(size.width, 4 * size.width), nn.GELU(approximate="tanh"),
                                     nn.Linear(4 * size.width, size.width))

    def forward(self, x):
        x = x + self.attention(self.before_attention(x))
        return x + self.network(self.before_network(x))


class Transformer(nn.Module):
    """GPT-2: tokens and positions embedded, layers, and the embedding again to say what comes next."""

    def __init__(self, size):
        super().__init__()
        self.tokens = nn.Embedding(size.vocabulary, size.width)
        self.positions = nn.Embedding(size.length, size.width)
        self.layers = nn.Sequential(*(Layer(size) for _ in range(size.layers)))
        self.last_norm = nn.LayerNorm(size.width)
        self.apply(self.start)
        for layer in self.layers:  # what each layer adds is as small as there are many of them
            for added in (layer.attention.outward, layer.network[-1]):
                nn.init.normal_(added.weight, std=0.02 / math.sqrt(2 * size.layers))

    @staticmethod
    def start(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.bias)

    def forward(self, text):
        x = self.tokens(text) + self.positions.weight[:text.shape[1]]
        return nn.functional.linear(self.last_norm(self.layers(x)), self.tokens.weight)


def built(size, device):
    """The same weights in every process."""
    torch.manual_seed(1)
    with torch.device(device):
        return Transformer(size)


def markov_text(sequences, length, vocabulary, seed=2):
    """Tokens of which each allows six successors. Few tokens are frequent, as in a language (Zipf's law), so that a model
    learns first which they are, and then what follows them."""
    generator = torch.Generator().manual_seed(seed)
    frequency = 1.0 / torch.arange(1, vocabulary + 1)
    options = len(SUCCESSOR_CHANCES)
    successors = torch.multinomial(frequency, vocabulary * options, replacement=True, generator=generator)
    successors = successors.view(vocabulary, options)
    turns = torch.multinomial(torch.tensor(SUCCESSOR_CHANCES), sequences * length, replacement=True, generator=generator)
    turns = turns.view(length, sequences)
    text = torch.empty(length, sequences, dtype=torch.long)
    text[0] = torch.multinomial(frequency, sequences, replacement=True, generator=generator)
    for position in range(1, length):
        text[position] = successors[text[position - 1], turns[position]]
    return text.T.contiguous()


class Trainer:
    """AdamW on one batch of fresh text a step."""

    def __init__(self, model, size, steps, device, reverse):
        self.model = model
        text = markov_text(steps * size.batch, size.length + 1, size.vocabulary)
        batches = text.view(steps, size.batch, size.length + 1)
        self.batches = (batches.flip(1) if reverse else batches).to(device)
        parameters = list(model.parameters())
        matrices = [parameter for parameter in parameters if parameter.dim() > 1]
        vectors = [parameter for parameter in parameters if parameter.dim() == 1]
        self.optimizer = torch.optim.AdamW(
            [{"params": matrices, "weight_decay": WEIGHT_DECAY}, {"params": vectors, "weight_decay": 0.0}],
            lr=LEARNING_RATE, betas=BETAS, fused=True)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimizer, lambda step: min(1.0, (step + 1) / WARM_UP_STEPS))

    def step(self, number):
        """The batch's loss before the step, still on the device."""
        batch = self.batches[number]
        self.optimizer.zero_grad(set_to_none=True)
        logits = self.model(batch[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), LARGEST_GRADIENT_NORM)
        self.optimizer.step()
        self.schedule.step()
        return loss.detach()
