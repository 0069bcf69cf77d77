/** Answers that hold a page's content: it is JSON already, and is not read to be written again. */
import { compact } from '@tidemark/bus/compact'
import type { Scanned } from '../handlers/scan-page.ts'

const nothing = Buffer.from('null')
const content = Buffer.from(',"content":')
const end = Buffer.from('}')

/** `ScannedPage`. Throws a `Refusal` (502 `too_large`), as `encodeRead` does. */
export function encodeScanned({ page, content: made }: Scanned): Uint8Array {
  const open = Buffer.from(JSON.stringify(page).slice(0, -1))
  return compact(Buffer.concat([open, content, made, end]))
}

/** `ReadContentAnswer` and `ComparePagesAnswer` */
export const encodeRead = (made: Uint8Array | null): Uint8Array => (made === null ? nothing : compact(made))
