/** The backends that a fetch may use, and the result of each attempt. */
import { type Static, Type } from 'typebox'
import { oneOf, orNull } from '../primitives.ts'
import { ProxyPool } from '../run-settings.ts'

/** The backends in the order in which `auto` tries them, cheapest first. */
export const backends = ['http', 'faithful', 'browser', 'proxy', 'vendor'] as const
export const BackendName = oneOf(['http', 'faithful', 'browser', 'proxy', 'vendor'])
export type BackendName = (typeof backends)[number]

/** The allowed backends. `auto` stops at the first page that is not a challenge. */
export const BackendChoice = Type.Union([
  /** `from` skips the cheaper backends. `country` leaves only proxies of that country and the vendor. */
  Type.Object({
    is: Type.Literal('auto'),
    from: BackendName,
    country: orNull(Type.String()),
  }),
  Type.Object({ is: Type.Literal('http') }),
  Type.Object({ is: Type.Literal('browser') }),
  Type.Object({ is: Type.Literal('proxy'), pool: ProxyPool, country: orNull(Type.String()) }),
  Type.Object({ is: Type.Literal('vendor'), country: orNull(Type.String()) }),
])
export type BackendChoice = Static<typeof BackendChoice>

/** The attempt of one backend. */
export const Try = Type.Object({
  backend: BackendName,
  /** Pool of the proxy. */
  pool: Type.Optional(ProxyPool),
  outcome: oneOf(['got', 'blocked', 'failed', 'not_configured']),
  /** Reason of the failure as a stable code, or the name of the bot protection. */
  reason: orNull(Type.String()),
  elapsedMs: Type.Number(),
  costUsd: Type.Number({ minimum: 0 }),
})
export type Try = Static<typeof Try>
