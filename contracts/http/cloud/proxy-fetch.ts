/** `POST /v1/cloud/proxy-fetch`: one page through a proxy of the installation, billed by its bytes too. */
import { Type } from 'typebox'
import { described, orNull } from '../../primitives.ts'
import { ProxyPool } from '../../run-settings.ts'
import { Country, ofPage, Pool, spent, Url } from './page.ts'

export const ProxyFetchRequest = Type.Object(
  {
    url: Url,
    pool: Type.With(Pool, { default: 'isp' as const }),
    country: Type.Optional(Country),
  },
  { $id: 'CloudProxyFetchRequest' },
)

export const ProxyFetched = Type.Object(
  {
    ...ofPage,
    content: Type.String({ description: 'The decoded body as served. No scripts were run.' }),
    bytes_transferred: orNull(
      Type.Integer({ minimum: 0, description: 'Bytes transferred in both directions; null: not measured.' }),
    ),
    pool: described(ProxyPool, 'Kind of the proxy.'),
    country: orNull(Type.String({ description: 'Country of the proxy; null: none was requested.' })),
    ...spent,
  },
  { $id: 'CloudProxyFetched' },
)
