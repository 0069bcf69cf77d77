/** Installs the rules for every request of a project: authentication, rate limit, and audit log. */
import type { Bus } from '@tidemark/bus/connection'
import type { TakeTokens } from '@tidemark/redis/rates'
import type { App } from '../app.ts'
import { openUsage } from '../metering/adapters/usage.ts'
import { type PagesOfDay, pagesLeftBy } from './adapters/pages-left.ts'
import { type AuditPorts, installAudit } from './audit.ts'
import { type AuthenticationPorts, installAuthentication } from './authentication.ts'
import { installRateLimit } from './rate-limit.ts'

type Needs = {
  bus: Bus
  keys: Pick<AuthenticationPorts, 'findKey' | 'recordKeyUse'>
  noteCall: AuditPorts['noteCall']
  /** Null: projects have no request rate. */
  takeTokens: TakeTokens | null
  now: () => number
}

/** Returns the pages of the day, which `countPages` updates. Call it before the routes of the scope are added. */
export function registerAccess(app: App, { bus, keys, noteCall, takeTokens, now }: Needs): PagesOfDay {
  installAuthentication(app, { ...keys, now })
  installAudit(app, { noteCall })
  const pagesLeft = pagesLeftBy(openUsage(bus).readUsage, now)
  if (takeTokens !== null) installRateLimit(app, { takeTokens, pagesLeft })
  return pagesLeft
}
