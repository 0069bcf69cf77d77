/** `POST /v1/cloud/transform`: a document that the client has, in another format. */
import { type Static, Type } from 'typebox'
import { returnFormatOf, spent } from './cloud-page.ts'

/** Of the request's body, in bytes: a PDF of 20 MB in base64, with room for the rest. */
export const transformBodyLimit = 28 * 1024 ** 2

export const TransformRequest = Type.Object(
  {
    data: Type.String({
      description: 'The document: HTML as text, a PDF in base64.',
      examples: ['<h1>Tides</h1><p>High water at noon.'],
    }),
    input_kind: Type.Union([Type.Literal('html'), Type.Literal('pdf_base64')], {
      default: 'html',
      description: 'What `data` is. PDF is refused with 422 where the installation does not read it.',
    }),
    return_format: returnFormatOf('markdown', 'text', 'raw'),
    readability: Type.Boolean({ default: true, description: 'The main content only.' }),
  },
  { $id: 'CloudTransformRequest' },
)
export type TransformRequest = Static<typeof TransformRequest>

export const CloudDocument = Type.Object(
  {
    content: Type.String({ description: 'The document, in the format that was asked for.' }),
    status: Type.Integer({ description: 'Always 200: nothing was fetched.' }),
    return_format: Type.String({ description: 'The format of `content`.' }),
    engine: Type.String({ description: 'What made it.' }),
    ...spent,
  },
  { $id: 'CloudDocument' },
)
export type CloudDocument = Static<typeof CloudDocument>
