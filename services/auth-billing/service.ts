/** Wires auth-billing: it creates projects, serves and changes their keys, and publishes both in ACCOUNTS. */
import { reporter } from '@tidemark/bus/outages'
import { serve } from '@tidemark/bus/rpc'
import { currentTraceparent } from '@tidemark/bus/trace'
import type { FindKey, FindKeyResponse } from '@tidemark/contracts/rpc/accounts'
import * as accountsRpc from '@tidemark/contracts/rpc/accounts'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import type { ListKeys, ListKeysResponse } from '@tidemark/contracts/rpc/keys'
import * as keysRpc from '@tidemark/contracts/rpc/keys'
import * as mailsRpc from '@tidemark/contracts/rpc/mails'
import { relay } from '@tidemark/db/outbox'
import { runService } from '@tidemark/db/run-service'
import { sealer } from '@tidemark/secrets/seal'
import { createLog } from '@tidemark/telemetry/log'
import { gauge } from '@tidemark/telemetry/metrics'
import { measurePool } from '@tidemark/telemetry/pool-metrics'
import { type Accounts, accounts as accountsIn } from './adapters/accounts.ts'
import { announcer } from './adapters/announce.ts'
import { closingIn } from './adapters/closing.ts'
import { type Keys, openKeys } from './adapters/keys.ts'
import { resendMails, sendNextMail, unsentMails } from './adapters/mail.ts'
import { mailSender } from './adapters/mail-sender.ts'
import { type TermsOfAccounts, termsOfAccounts } from './adapters/terms.ts'
import { database } from './database.ts'
import { closeAccount } from './handlers/close-account.ts'
import { createKey } from './handlers/create-key.ts'
import { createProject } from './handlers/create-project.ts'
import { endShares } from './handlers/end-shares.ts'
import { revokeKey } from './handlers/revoke-key.ts'
import { rotateKey } from './handlers/rotate-key.ts'
import { setKey } from './handlers/set-key.ts'
import { setModelConsent } from './handlers/set-model-consent.ts'
import { setProject } from './handlers/set-project.ts'
import { sendMail } from './policies/send-mail.ts'
import { watchMail } from './policies/watch-mail.ts'
import { settingsIn } from './settings.ts'
import { serveSignups } from './wiring/signup.ts'

const name = 'auth-billing'

/** Rejects with SettingsError, or when bus or database cannot be reached. */
export async function startService(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<AsyncDisposable> {
  const settings = settingsIn(env)
  const log = createLog(name)
  const deliver = mailSender(settings, log)
  const report = reporter(log, 'an account could not be processed')
  const options = { name, settings, database, poolSize: 5, report }
  return runService(options, signal, ({ bus, db, started, ...serving }) => {
    started.use(measurePool(name, db.pool))
    const accounts = accountsIn(db)
    const outbox = relay({ bus, pool: db.pool, schema: database.schema, ...serving })
    started.defer(() => outbox.close())
    // The relay publishes a failed row again later, and reports the error itself.
    const publish = (id: number) => void outbox.publishNow(id).catch(() => {})
    const announce = announcer(bus, outbox)
    const keys = openKeys(db)
    const keyPorts = { keys, announce, trace: currentTraceparent }
    const create = createProject({ accounts, publish, trace: currentTraceparent })
    const secrets = sealer(settings.SECRETS_KEY, settings.SECRETS_KEYS_OLD)
    const { seal, open } = secrets
    const terms = termsOfAccounts(db)
    const termPorts = { terms, seal, announce, trace: currentTraceparent }
    const unsent = unsentMails(db)
    const mails = watchMail({ bus, unsent, ...serving })
    started.use(
      gauge('tidemark.mails.unsent', async observe => {
        const { givenUp, late } = await unsent()
        observe(late, { state: 'late' })
        observe(givenUp, { state: 'given_up' })
      }),
    )
    const close = closeAccount({ close: closingIn(db), announce, trace: currentTraceparent })
    const ended = Promise.all([
      serve(bus, accountsRpc.createProject, create, serving),
      serve(bus, accountsRpc.setProject, setProject(termPorts), serving),
      serve(bus, accountsRpc.setKey, setKey(termPorts), serving),
      serve(bus, accountsRpc.readTerms, readTerms(terms), serving),
      serve(bus, accountsRpc.readModelConsent, readConsent(terms), serving),
      serve(bus, accountsRpc.setModelConsent, setModelConsent({ ...keyPorts, terms }), serving),
      serve(bus, accountsRpc.endShares, endShares(keyPorts), serving),
      serve(bus, accountsRpc.findKey, findKey(accounts), serving),
      serve(bus, keysRpc.listKeys, listKeys(keys), serving),
      serve(bus, keysRpc.createKey, createKey(keyPorts), serving),
      serve(bus, keysRpc.rotateKey, rotateKey(keyPorts), serving),
      serve(bus, keysRpc.revokeKey, revokeKey(keyPorts), serving),
      serve(bus, forgetRpc.closeAccount, close, serving),
      serve(bus, mailsRpc.resendMails, async () => ({ mails: await resendMails(db)() }), serving),
      serve(bus, keysRpc.keysUsed, ({ used }) => keys.recordUsed(used), serving),
      serveSignups({ name, settings, bus, db, sealer: secrets, publish, log, ...serving }),
      deliver && sendMail({ bus, sendNext: sendNextMail(db), open, deliver, log, ...serving }),
      mails.ended,
    ])
    return { ended, warn: mails.warn }
  })
}

/** Returns the data with which a gateway checks a key. The prefix alone proves nothing. */
const findKey =
  (accounts: Accounts) =>
  async ({ prefix }: FindKey): Promise<FindKeyResponse> => ({ key: await accounts.findKey(prefix) })

/** Returns the tier and the caps of a project. */
const readTerms =
  (terms: Pick<TermsOfAccounts, 'read'>) =>
  async ({ projectId }: { projectId: number }) => ({ terms: await terms.read(projectId) })

const readConsent =
  (terms: Pick<TermsOfAccounts, 'modelConsent'>) =>
  async ({ projectId }: { projectId: number }) => ({ consent: await terms.modelConsent(projectId) })

/** Returns the keys of a project without their secrets, with revoked ones. */
const listKeys =
  (keys: Pick<Keys, 'list'>) =>
  async ({ projectId }: ListKeys): Promise<ListKeysResponse> => ({ items: await keys.list(projectId) })
