/** `POST /v1/cloud/unblock`: a page behind a defence against bots. */
import { type Static, Type } from 'typebox'
import { Country, returnFormatOf, Url } from './cloud-page.ts'

export const UnblockRequest = Type.Object(
  {
    url: Url,
    return_format: returnFormatOf('markdown', 'text', 'raw'),
    country: Type.Optional(Country),
  },
  { $id: 'CloudUnblockRequest' },
)
export type UnblockRequest = Static<typeof UnblockRequest>
