/** The clipboard of the reader. */
import { TidemarkError } from '@tidemark/sdk'

/** Copies a text. Throws a `TidemarkError` on a page of plain HTTP, where browsers have no clipboard. */
export async function copyText(text: string): Promise<void> {
  if (!isSecureContext)
    throw new TidemarkError('Browsers copy only on https and on localhost. Select the text and copy it.')
  await navigator.clipboard.writeText(text)
}
