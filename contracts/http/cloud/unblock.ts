/** `POST /v1/cloud/unblock`: a page behind bot protection. */
import { Type } from 'typebox'
import { Country, returnFormatOf, Url } from './page.ts'

export const UnblockRequest = Type.Object(
  {
    url: Url,
    return_format: returnFormatOf('markdown', 'text', 'raw'),
    country: Type.Optional(Country),
  },
  { $id: 'CloudUnblockRequest' },
)
