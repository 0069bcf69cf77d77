/**
 * The tokenizer of htmlparser2 with the engine's native search for the next tag. The original reads each character of
 * the string, which takes a fifth of the time of reading a page, or more if the loop is compiled late.
 */
import { Tokenizer } from 'htmlparser2'

/** Returns the same tokens in less time. If a version lacks this method, it is the unchanged tokenizer. */
export class QuickTokenizer extends Tokenizer {}

/** The private state of htmlparser2 that the search uses. */
type Searching = { index: number; offset: number; buffer: string }

const characters = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))

Object.defineProperty(QuickTokenizer.prototype, 'fastForwardTo', {
  value(this: Searching, code: number): boolean {
    const { buffer, offset } = this
    const found = buffer.indexOf(characters[code] ?? String.fromCharCode(code), this.index + 1 - offset)
    this.index = (found < 0 ? buffer.length - 1 : found) + offset
    return found >= 0
  },
})
