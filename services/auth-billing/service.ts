/** auth-billing, wired: it creates projects, answers for their keys, and tells ACCOUNTS of both. */
import { answer } from '@tidemark/bus/ask'
import { jsonParser } from '@tidemark/bus/codec'
import { reporter } from '@tidemark/bus/outages'
import { currentTraceparent } from '@tidemark/bus/trace'
import { CreateProject, FindKey, ReadTerms, SetKey, SetProject } from '@tidemark/contracts/ask/accounts'
import { CloseAccount } from '@tidemark/contracts/ask/forget'
import { CreateKey, KeysUsed, ListKeys, RevokeKey, RotateKey } from '@tidemark/contracts/ask/keys'
import { ResendMails } from '@tidemark/contracts/ask/mails'
import { asks, tells } from '@tidemark/contracts/subjects'
import { relay } from '@tidemark/db/outbox'
import { serve } from '@tidemark/db/serve'
import { sealer } from '@tidemark/secrets/seal'
import { createLog } from '@tidemark/telemetry/log'
import { gauge } from '@tidemark/telemetry/metrics'
import { measurePool } from '@tidemark/telemetry/pool-metrics'
import { accounts as accountsIn } from './adapters/accounts.ts'
import { closingIn } from './adapters/closing.ts'
import { openKeys } from './adapters/keys.ts'
import { resendMails, sendNextMail, unsentMails } from './adapters/mail.ts'
import { mailSender } from './adapters/mail-sender.ts'
import { termsOfAccounts } from './adapters/terms.ts'
import { database } from './database.ts'
import { closeAccount } from './handlers/close-account.ts'
import { createKey } from './handlers/create-key.ts'
import { createProject } from './handlers/create-project.ts'
import { findKey } from './handlers/find-key.ts'
import { listKeys } from './handlers/list-keys.ts'
import { revokeKey } from './handlers/revoke-key.ts'
import { rotateKey } from './handlers/rotate-key.ts'
import { setKey } from './handlers/set-key.ts'
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
  const report = reporter(log, 'an account could not be served')
  const place = { name, settings, database, poolSize: 5, report }
  return serve(place, signal, ({ bus, db, started, ...serving }) => {
    started.use(report.follow(bus))
    started.use(measurePool(name, db.pool))
    const accounts = accountsIn(db)
    const outbox = relay({ bus, pool: db.pool, schema: database.schema, ...serving })
    started.defer(() => outbox.close())
    // A row that does not go out now is swept up later; the relay itself reports why.
    const publish = (id: number) => void outbox.publishNow(id).catch(() => {})
    const tell = async (id: number | null) => {
      if (id === null) return null
      // Before any answer: who is told that a key is gone finds no gateway that still opens to it.
      if (!bus.nc.isClosed() && !bus.nc.isDraining()) bus.nc.publish(tells.keysChanged)
      return outbox.publishNow(id).catch(() => null)
    }
    const keys = openKeys(db)
    const changing = { keys, tell, trace: currentTraceparent }
    const create = createProject({ accounts, publish, trace: currentTraceparent })
    const secrets = sealer(settings.SECRETS_KEY, settings.SECRETS_KEYS_OLD)
    const { seal, open } = secrets
    const terms = termsOfAccounts(db)
    const setting = { terms, seal, tell, trace: currentTraceparent }
    const readTerms = async ({ projectId }: ReadTerms) => ({ terms: await terms.read(projectId) })
    const noteUsed = ({ used }: KeysUsed) => keys.noteUsed(used)
    const unsent = unsentMails(db)
    const mails = watchMail({ bus, unsent, ...serving })
    started.use(
      gauge('tidemark.mails.unsent', async tell => {
        const { givenUp, late } = await unsent()
        tell(late, { state: 'late' })
        tell(givenUp, { state: 'given_up' })
      }),
    )
    const close = closeAccount({ close: closingIn(db), tell, trace: currentTraceparent })
    const resend = async () => ({ mails: await resendMails(db)() })
    const ended = Promise.all([
      answer(bus, asks.createProject, name, create, { parse: jsonParser(CreateProject), ...serving }),
      answer(bus, asks.setProject, name, setProject(setting), { parse: jsonParser(SetProject), ...serving }),
      answer(bus, asks.setKey, name, setKey(setting), { parse: jsonParser(SetKey), ...serving }),
      answer(bus, asks.readTerms, name, readTerms, { parse: jsonParser(ReadTerms), ...serving }),
      answer(bus, asks.findKey, name, findKey(accounts), { parse: jsonParser(FindKey), ...serving }),
      answer(bus, asks.listKeys, name, listKeys(keys), { parse: jsonParser(ListKeys), ...serving }),
      answer(bus, asks.createKey, name, createKey(changing), { parse: jsonParser(CreateKey), ...serving }),
      answer(bus, asks.rotateKey, name, rotateKey(changing), { parse: jsonParser(RotateKey), ...serving }),
      answer(bus, asks.revokeKey, name, revokeKey(changing), { parse: jsonParser(RevokeKey), ...serving }),
      answer(bus, asks.closeAccount, name, close, { parse: jsonParser(CloseAccount), ...serving }),
      answer(bus, asks.resendMails, name, resend, { parse: jsonParser(ResendMails), ...serving }),
      answer(bus, tells.keysUsed, name, noteUsed, { parse: jsonParser(KeysUsed), ...serving }),
      serveSignups({ name, settings, bus, db, sealer: secrets, publish, log, ...serving }),
      deliver && sendMail({ bus, sendNext: sendNextMail(db), open, deliver, log, ...serving }),
      mails.ended,
    ])
    return { ended, warn: mails.warn }
  })
}
