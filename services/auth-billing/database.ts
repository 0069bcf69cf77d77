/** Describes the schema `account`: projects, keys and billing. It is primary data: backed up, never rebuilt. */
import { defineDatabase } from '@tidemark/db/database'
import { Caps } from './migrations/2026-11-21-caps.ts'
import { First } from './migrations/2026-11-21-first.ts'
import { Mail } from './migrations/2026-11-21-mail.ts'
import { Proxies } from './migrations/2026-11-21-proxies.ts'
import { Signup } from './migrations/2026-11-21-signup.ts'
import { Unfulfilled } from './migrations/2026-11-22-unfulfilled.ts'
import { Networks } from './migrations/2026-11-23-networks.ts'
import { ModelConsent } from './migrations/2026-11-26-model-consent.ts'
import { SharesEnded } from './migrations/2026-11-27-shares-ended.ts'
import { AccountChanges } from './migrations/2026-11-28-account-changes.ts'

export const database = defineDatabase({
  schema: 'account',
  entities: [],
  migrations: {
    First,
    Proxies,
    Mail,
    Caps,
    Signup,
    Unfulfilled,
    Networks,
    ModelConsent,
    SharesEnded,
    AccountChanges,
  },
})
