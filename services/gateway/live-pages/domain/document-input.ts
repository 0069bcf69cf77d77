/** Validates the document of a transformation before it is read. */
import type { TransformRequest } from '@tidemark/contracts/http/cloud/transform'
import { ApiProblem } from '../../http/domain/problem.ts'

export type Document = { kind: 'html' | 'pdf'; data: string }

/** Returns the document. Throws `ApiProblem` (422 `unsupported_input`) for a PDF that is not in base64. */
export function documentOf({ input_kind, data }: Pick<TransformRequest, 'input_kind' | 'data'>): Document {
  if (input_kind === 'html') return { kind: 'html', data }
  if (!isBase64(data)) {
    throw new ApiProblem('unsupported_input', {
      field: 'data',
      message: 'data must be a PDF in base64 where input_kind is pdf_base64.',
    })
  }
  return { kind: 'pdf', data }
}

/** Returns the bytes to store of a document that is too large for a message. */
export const bytesOf = ({ kind, data }: Document): Buffer =>
  Buffer.from(data, kind === 'pdf' ? 'base64' : 'utf8')

/**
 * Accepts both alphabets, with or without line breaks. White space is removed first, because a pattern that allows
 * white space in two places would try every division of it between the two. That would take hours for a few megabytes
 * of blanks.
 */
const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/_-]+={0,2}$/.test(text.replace(/\s+/g, ''))
