/** `POST /v1/cloud/proxy-fetch`: one page by one of the installation's proxies, billed by its bytes too. */
import { type Static, Type } from 'typebox'
import { orNull, said } from '../primitives.ts'
import { ProxyPool } from '../run-settings.ts'
import { Country, ofPage, Pool, spent, Url } from './cloud-page.ts'

export const ProxyFetchRequest = Type.Object(
  {
    url: Url,
    pool: Type.With(Pool, { default: 'isp' as const }),
    country: Type.Optional(Country),
  },
  { $id: 'CloudProxyFetchRequest' },
)
export type ProxyFetchRequest = Static<typeof ProxyFetchRequest>

export const ProxyFetched = Type.Object(
  {
    ...ofPage,
    content: Type.String({ description: 'The body as it was served, decoded. No scripts were run.' }),
    bytes_transferred: orNull(
      Type.Integer({ minimum: 0, description: 'Bytes over the wire, both ways; null where nobody counted.' }),
    ),
    pool: said(ProxyPool, 'Of the proxy that was taken.'),
    country: orNull(Type.String({ description: 'Of the proxy; null where none was asked for.' })),
    ...spent,
  },
  { $id: 'CloudProxyFetched' },
)
export type ProxyFetched = Static<typeof ProxyFetched>
