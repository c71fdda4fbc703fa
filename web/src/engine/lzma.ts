// LZMA, decoded: the engine is a quarter smaller in it than in what browsers unpack by themselves (gzip). The stream is what
// `xz --format=lzma` writes: five bytes of settings, eight of a size, then the range coder's bytes. After Igor Pavlov's specification
// (public domain, lzma-specification.txt).

const kTop = 2 ** 24;
const kHalf = 1024; // a probability of one half, of 2048
const kAlign = 16;

/** The range coder. Its two 32-bit numbers stand in an array of such, which is four times as quick as doubles. */
interface Coder {
  probabilities: Uint16Array;
  bytes: Uint8Array;
  at: number;
  now: Uint32Array; // [range, code]
}

function bit(coder: Coder, index: number): 0 | 1 {
  const { probabilities, now } = coder;
  const chance = probabilities[index] as number;
  const range = now[0] as number;
  const code = now[1] as number;
  const bound = Math.imul(range >>> 11, chance) >>> 0;
  const one = code < bound ? 0 : 1;
  const left = one === 0 ? bound : (range - bound) >>> 0;
  const rest = one === 0 ? code : (code - bound) >>> 0;
  probabilities[index] = one === 0 ? chance + ((2048 - chance) >>> 5) : chance - (chance >>> 5);
  if (left < kTop) {
    now[0] = left << 8;
    now[1] = (rest << 8) | (coder.bytes[coder.at++] as number);
  } else {
    now[0] = left;
    now[1] = rest;
  }
  return one;
}

function tree(coder: Coder, from: number, bits: number): number {
  let node = 1;
  for (let i = 0; i < bits; i++) node = node * 2 + bit(coder, from + node);
  return node - 2 ** bits;
}

function reverseTree(coder: Coder, from: number, bits: number): number {
  let node = 1;
  let value = 0;
  for (let i = 0; i < bits; i++) {
    const one = bit(coder, from + node);
    node = node * 2 + one;
    value |= one << i;
  }
  return value;
}

function directBits(coder: Coder, bits: number): number {
  const { now } = coder;
  let value = 0;
  for (let i = 0; i < bits; i++) {
    const half = (now[0] as number) >>> 1;
    const code = now[1] as number;
    const one = code >= half ? 1 : 0;
    now[0] = half;
    if (one === 1) now[1] = code - half;
    if (half < kTop) {
      now[0] = half << 8;
      now[1] = ((now[1] as number) << 8) | (coder.bytes[coder.at++] as number);
    }
    value = value * 2 + one;
  }
  return value;
}

// places of the probabilities, one after the other
const kMatch = 0; // 12 states x 16 positions
const kRep = 192;
const kRepG0 = 204;
const kRepG1 = 216;
const kRepG2 = 228;
const kRep0Long = 240; // 12 x 16
const kSlot = 432; // 4 x 64
const kSpecial = 688; // 115
const kAlignBits = 803; // 16
const kLength = 819; // choice, choice2, low 16 x 8, mid 16 x 8, high 256
const kLengthSize = 2 + 128 + 128 + 256;
const kRepLength = kLength + kLengthSize;
const kLiteral = kRepLength + kLengthSize;

function lengthOf(coder: Coder, from: number, position: number): number {
  if (bit(coder, from) === 0) return tree(coder, from + 2 + 8 * position, 3);
  if (bit(coder, from + 1) === 0) return 8 + tree(coder, from + 130 + 8 * position, 3);
  return 16 + tree(coder, from + 258, 8);
}

function distanceOf(coder: Coder, length: number): number {
  const slot = tree(coder, kSlot + 64 * Math.min(length, 3), 6);
  if (slot < 4) return slot;
  const bits = (slot >> 1) - 1;
  const base = (2 | (slot & 1)) * 2 ** bits;
  if (slot < 14) return base + reverseTree(coder, kSpecial + base - slot, bits);
  return base + directBits(coder, bits - 4) * kAlign + reverseTree(coder, kAlignBits, 4);
}

/** The `size` bytes that were packed. */
export function unpackLzma(packed: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const settings = packed[0] ?? 255;
  if (settings >= 225 || packed.length < 18) throw new Error("the engine is not packed as expected");
  const literalContext = settings % 9;
  const literalMask = 2 ** (Math.floor(settings / 9) % 5) - 1;
  const positionMask = 2 ** Math.floor(settings / 45) - 1;
  const literalBits = Math.floor(settings / 9) % 5;
  const coder: Coder = {
    probabilities: new Uint16Array(kLiteral + 768 * 2 ** (literalContext + literalBits)).fill(kHalf),
    bytes: packed, at: 18, now: new Uint32Array([0xffffffff, new DataView(packed.buffer, packed.byteOffset).getUint32(14)]),
  };
  const out = new Uint8Array(size);
  let [state, done, rep0, rep1, rep2, rep3] = [0, 0, 0, 0, 0, 0];
  while (done < size) {
    const position = done & positionMask;
    if (bit(coder, kMatch + 16 * state + position) === 0) {
      const before = done > 0 ? (out[done - 1] as number) : 0;
      const from = kLiteral + 768 * (((done & literalMask) << literalContext) + (before >> (8 - literalContext)));
      let symbol = 1;
      if (state >= 7) {
        let expected = out[done - rep0 - 1] as number;
        while (symbol < 256) {
          const high = (expected >> 7) & 1;
          expected <<= 1;
          const one = bit(coder, from + ((1 + high) << 8) + symbol);
          symbol = symbol * 2 + one;
          if (one !== high) break;
        }
      }
      while (symbol < 256) symbol = symbol * 2 + bit(coder, from + symbol);
      out[done++] = symbol - 256;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let length: number;
    if (bit(coder, kRep + state) === 0) {
      [rep3, rep2, rep1] = [rep2, rep1, rep0];
      length = lengthOf(coder, kLength, position);
      rep0 = distanceOf(coder, length);
      state = state < 7 ? 7 : 10;
      if (rep0 >= 0xffffffff) break; // the mark of an end
    } else {
      if (bit(coder, kRepG0 + state) === 0) {
        if (bit(coder, kRep0Long + 16 * state + position) === 0) {
          out[done] = out[done - rep0 - 1] as number;
          done++;
          state = state < 7 ? 9 : 11;
          continue;
        }
      } else {
        let distance: number;
        if (bit(coder, kRepG1 + state) === 0) distance = rep1;
        else {
          if (bit(coder, kRepG2 + state) === 0) distance = rep2;
          else {
            distance = rep3;
            rep3 = rep2;
          }
          rep2 = rep1;
        }
        rep1 = rep0;
        rep0 = distance;
      }
      length = lengthOf(coder, kRepLength, position);
      state = state < 7 ? 8 : 11;
    }
    const end = Math.min(size, done + length + 2);
    if (rep0 >= done) throw new Error("the packed engine is damaged");
    for (; done < end; done++) out[done] = out[done - rep0 - 1] as number;
  }
  if (done !== size || coder.at > packed.length) throw new Error("the packed engine ends too early");
  return out;
}
