# SPDX-License-Identifier: MIT
"""Two transformers with random weights, and what is done with them: greedy decoding and training steps, each eagerly,
as a CUDA graph and compiled. Attention is spelled out in products (`attn_implementation="eager"`), nothing is random
after the weights, and no step waits for the GPU, so that every mode does the same arithmetic. The output matrix is one
of its own: with that of the embedding, random weights would say each token again for ever."""
import dataclasses

import torch
import transformers

PROMPT = 16
TOKENS = 64
STEPS = 20
LEARNING_RATE = 0.05


@dataclasses.dataclass(frozen=True)
class Kind:
    """A transformer and the batch it is trained on."""
    name: str
    config: transformers.PretrainedConfig
    batch: int
    length: int


def gpt2(layers=12, width=768, vocabulary=50257, length=256):
    config = transformers.GPT2Config(
        vocab_size=vocabulary, n_embd=width, n_layer=layers, n_head=width // 64, resid_pdrop=0.0, embd_pdrop=0.0,
        attn_pdrop=0.0, tie_word_embeddings=False, attn_implementation="eager", bos_token_id=0, eos_token_id=None)
    return Kind("GPT-2", config, batch=8, length=length)


def llama(layers=16, width=2048, vocabulary=32000, length=256):
    config = transformers.LlamaConfig(
        vocab_size=vocabulary, hidden_size=width, intermediate_size=4 * width, num_hidden_layers=layers,
        num_attention_heads=width // 64, num_key_value_heads=max(1, width // 256), max_position_embeddings=2048,
        tie_word_embeddings=False, attn_implementation="eager", bos_token_id=0, eos_token_id=None)
    return Kind("Llama", config, batch=2, length=length)


KINDS = {"gpt2": gpt2, "llama": llama}


def built(kind, device):
    """The model; the same weights in every process."""
    torch.manual_seed(1)
    with torch.device(device):
        return transformers.AutoModelForCausalLM.from_config(kind.config).float()


def hidden_before(positions, slots):
    """What attention adds for each position: nothing for the slots up to it, the lowest number for those after it."""
    return torch.where(slots <= positions.unsqueeze(-1), 0.0, torch.finfo(torch.float32).min).unsqueeze(1)


class Decoder:
    """Greedy decoding of one sequence. Everything that a step reads or writes stays where it is."""

    def __init__(self, model, device):
        self.model = model
        self.device = device
        self.slots = torch.arange(PROMPT + TOKENS, device=device)
        self.cache = transformers.StaticCache(config=model.config, max_cache_len=PROMPT + TOKENS)
        self.token = torch.zeros(1, 1, dtype=torch.long, device=device)
        self.position = torch.zeros(1, 1, dtype=torch.long, device=device)

    def forward(self, tokens, positions):
        """Logits of what follows the last token."""
        return self.model(tokens, attention_mask=hidden_before(positions, self.slots), position_ids=positions,
                          past_key_values=self.cache, use_cache=True).logits[:, -1]

    def advance(self, logits):
        self.token.copy_(logits.argmax(-1, keepdim=True))
        self.position.add_(1)
        return logits

    def step(self):
        return self.advance(self.forward(self.token, self.position))

    @torch.no_grad()
    def prefill(self):
        self.cache.reset()
        prompt = torch.randint(self.model.config.vocab_size, (1, PROMPT), generator=torch.Generator().manual_seed(2))
        positions = self.slots[:PROMPT].unsqueeze(0)
        self.position.fill_(PROMPT - 1)
        return self.advance(self.forward(prompt.to(self.device), positions))


class Trainer:
    """Plain gradient descent on one batch of random tokens."""

    def __init__(self, model, kind, device):
        self.model = model
        tokens = torch.randint(kind.config.vocab_size, (kind.batch, kind.length),
                               generator=torch.Generator().manual_seed(3))
        self.tokens = tokens.to(device)
        self.positions = torch.arange(kind.length, device=device).expand(kind.batch, -1)
        self.mask = hidden_before(self.positions[:1], self.positions[0])
        self.optimizer = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE)

    def reorder(self, shift):
        """Takes the sequences in another order: the same step, but for the rounding."""
        self.tokens.copy_(self.tokens.roll(shift, 0))

    def loss(self):
        logits = self.model(self.tokens, attention_mask=self.mask, position_ids=self.positions, use_cache=False).logits
        return torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), self.tokens[:, 1:].flatten())

    def step_with(self, loss):
        self.optimizer.zero_grad(set_to_none=True)
        value = loss()
        value.backward()
        self.optimizer.step()
        return value.detach()

    def step(self):
        return self.step_with(self.loss)


def captured(step, warm_up, device):
    """The step as a CUDA graph: a function that replays it, and whose result stays in one place."""
    side = torch.cuda.Stream(device)
    side.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(side):
        warm_up()
    torch.cuda.current_stream(device).wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = step()

    def replay():
        graph.replay()
        return result
    return replay
