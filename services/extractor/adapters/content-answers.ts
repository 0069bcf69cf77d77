/** Answers that hold a page's content: it is JSON already, and is not read to be written again. */
import { compact } from '@tidemark/bus/compact'
import type { Got } from '../handlers/get-page.ts'
import type { Scanned } from '../handlers/scan-page.ts'

const nothing = Buffer.from('null')
const content = Buffer.from(',"content":')
const end = Buffer.from('}')

/** `ScannedPage` and `GotPage`. Throws a `Refusal` (502 `too_large`), as `encodeRead` does. */
export function encodeFound({ page, content: made }: Scanned | Got): Uint8Array {
  const open = Buffer.from(JSON.stringify(page).slice(0, -1))
  return compact(Buffer.concat([open, content, made, end]))
}

/** `ReadContentAnswer`, `ComparePagesAnswer` and `TransformAnswer` */
export const encodeRead = (made: Uint8Array | null): Uint8Array => (made === null ? nothing : compact(made))
