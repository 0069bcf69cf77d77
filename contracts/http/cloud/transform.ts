/** `POST /v1/cloud/transform`: converts a document of the client to another format. */

import { type Static, Type } from 'typebox'
import { oneOf } from '../../primitives.ts'
import { returnFormatOf, spent } from './page.ts'

/** Maximum size of the request body in bytes: a PDF of 20 MB in base64, and the other fields. */
export const transformBodyLimit = 28 * 1024 ** 2

export const TransformRequest = Type.Object(
  {
    data: Type.String({
      minLength: 1,
      description: 'The document: HTML as text, PDF base64-encoded.',
      examples: ['<h1>Tides</h1><p>High water at noon.'],
    }),
    input_kind: oneOf(['html', 'pdf_base64'], {
      default: 'html',
      description: 'The format of `data`. PDF is rejected with 422 if the installation does not support it.',
    }),
    return_format: returnFormatOf('markdown', 'text', 'raw'),
    readability: Type.Boolean({ default: true, description: 'The main content only.' }),
  },
  { $id: 'CloudTransformRequest' },
)
export type TransformRequest = Static<typeof TransformRequest>

export const CloudDocument = Type.Object(
  {
    content: Type.String({ description: 'The document in the requested format.' }),
    status: Type.Integer({ description: 'Always 200, as nothing is fetched.' }),
    return_format: Type.String({ description: 'The format of `content`.' }),
    engine: Type.String({ description: 'The engine that converted the document.' }),
    ...spent,
  },
  { $id: 'CloudDocument' },
)
