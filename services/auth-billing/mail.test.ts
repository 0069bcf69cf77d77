import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { listenForHeartbeats } from '@tidemark/bus/heartbeat'
import { call } from '@tidemark/bus/rpc'
import * as mailsRpc from '@tidemark/contracts/rpc/mails'
import { inTransaction } from '@tidemark/db/transaction'
import { declareStreams } from '@tidemark/deploy/nats/declare'
import { sealer } from '@tidemark/secrets/seal'
import { createLog } from '@tidemark/telemetry/log'
import { listening } from '@tidemark/testing/listening'
import { selfSigned } from '@tidemark/testing/origin-certificate'
import { kill, surroundings } from '@tidemark/testing/surroundings'
import { until } from '@tidemark/testing/until'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import { test } from 'tap'
import { enqueueMail, sendNextMail } from './adapters/mail.ts'
import { mailSender } from './adapters/mail-sender.ts'
import { database } from './database.ts'
import { pauseAfter } from './domain/mail-retries.ts'
import type { Mail } from './domain/new-account.ts'
import { sendMail } from './policies/send-mail.ts'
import { startService } from './service.ts'

const SECRETS_KEY = '6b'.repeat(32)
const MAIL_FROM = 'Tidemark <keys@tidemark.example>'
const secretText = 'Your key is tmk_NeverInALogOrATable'

type Row = {
  body: string | null
  attempts: number
  sent_at: Date | null
  next_at: Date | null
  given_up_at: Date | null
  last_error: string | null
}

test('Mail', async t => {
  const { env, bus, pool, stack, spawn } = await surroundings(t, { database, declare: declareStreams })
  const post = await mailServer()
  stack.defer(post.close)
  const smtp = { ...env, SECRETS_KEY, SMTP_URL: post.url, MAIL_FROM }
  const { seal, open } = sealer(SECRETS_KEY)

  const write = (mail: Partial<Mail> & { key: string }) =>
    inTransaction(pool, client =>
      enqueueMail(client, { to: 'ada@example.org', subject: 'Your key', text: secretText, ...mail }, seal),
    )
  const row = async (key: string): Promise<Row> => {
    const { rows } = await pool.query<Row>('select * from account.mail where key = $1', [key])
    return rows[0] ?? Promise.reject(new Error(`there is no mail ${key}`))
  }
  const isSent = async (key: string) => (await row(key)).sent_at !== null
  const hurry = (key: string) =>
    pool.query('update account.mail set next_at = clock_timestamp() where key = $1', [key])
  const start = async (settings: NodeJS.ProcessEnv) => startService(settings, new AbortController().signal)

  /** Starts only the sender, and collects its log. */
  function sender(settings: Parameters<typeof mailSender>[0], lines: string[]): AsyncDisposable {
    const log = createLog('auth-billing', { write: line => void lines.push(line) })
    log.level = 'info'
    const deliver = mailSender(settings, log)
    if (deliver === null) throw new Error('the settings name no transport')
    const stop = new AbortController()
    const sendNext = sendNextMail({ pool, transaction: work => inTransaction(pool, work) })
    const report = (error: unknown) => t.error(error)
    const ended = sendMail({ bus, sendNext, open, deliver, log, signal: stop.signal, report })
    return {
      [Symbol.asyncDispose]: () => {
        stop.abort()
        return ended
      },
    }
  }

  await t.test('is stored sealed, once per key, by the transaction that writes it', async t => {
    await inTransaction(pool, async client => {
      await enqueueMail(client, { key: 'undone', to: 'a@b.example', subject: '', text: '' }, seal)
      throw new Error('undone')
    }).catch(() => {})
    for (const text of [secretText, 'another text']) await write({ key: 'once', text })
    const { rows } = await pool.query('select key, body from account.mail')
    t.match(rows, [{ key: 'once', body: /^sealed/ }])
    t.equal(rows.length, 1)
    t.notMatch(JSON.stringify(rows), 'NeverInALog')
  })

  await t.test('is sent by one of two instances, which then delete its text', async t => {
    const both = await Promise.all([start(smtp), start(smtp)])
    const keys = Array.from({ length: 20 }, (_, n) => `one-of-${n}`)
    await Promise.all(keys.map(key => write({ key })))
    for (const key of ['once', ...keys]) await until(() => isSent(key))
    for (const instance of both) await instance[Symbol.asyncDispose]()
    t.equal(post.taken.length, 21)
    t.equal(new Set(post.taken.map(({ id }) => id)).size, 21)
    t.match(post.taken[0], {
      to: ['ada@example.org'],
      text: /^From: Tidemark <keys@tidemark\.example>\r\nTo: ada@example\.org\r\nSubject: Your key\r\n/m,
    })
    t.match(post.taken[0]?.text, /\r\n\r\nYour key is tmk_NeverInALogOrATable\r\n$/)
    t.match(await row('once'), { body: null, next_at: null, attempts: 1, last_error: null })
  })

  await t.test('is retried after a temporary error, and given up after a permanent one', async t => {
    const lines: string[] = []
    await using _ = sender({ ...smtp, MAIL_OUTBOX: '' }, lines)
    post.answer = { to: { busy: 451, nobody: 550 } }
    await write({ key: 'busy', to: 'busy@example.org' })
    await write({ key: 'nobody', to: 'nobody@example.org' })
    await until(async () => (await row('busy')).attempts === 1 && (await row('nobody')).attempts === 1)
    const busy = await row('busy')
    t.match(busy, { body: /^sealed/, sent_at: null, given_up_at: null, last_error: /451/ })
    t.ok(busy.next_at && busy.next_at.getTime() > Date.now(), 'later')
    const refused = { body: /^sealed/, sent_at: null, next_at: null, given_up_at: Date, last_error: /550/ }
    t.match(await row('nobody'), refused, 'it stays until an operator removes the cause')

    post.answer = {}
    await hurry('busy')
    await until(() => isSent('busy'))
    t.equal(post.taken.filter(({ to }) => to.includes('busy@example.org')).length, 1)
    t.match(await row('busy'), { attempts: 2, body: null, last_error: null })
    const logged = lines.join('')
    t.match(
      logged,
      /a mail could not be sent[\s\S]*a mail was not sent after|a mail was not sent after[\s\S]*a mail could not/,
    )
    t.notMatch(logged, /NeverInALog|nobody@|busy@|example\.org/)
  })

  await t.test('waits for a server that is down', async t => {
    const { port, close } = await listening(net.createServer())
    await close()
    {
      await using _ = await start({ ...smtp, SMTP_URL: `smtp://127.0.0.1:${port}` })
      await write({ key: 'away' })
      await until(async () => (await row('away')).attempts === 1)
    }
    t.match(await row('away'), { sent_at: null, given_up_at: null, last_error: /ECONNREFUSED/ })
    await using _ = await start(smtp)
    await hurry('away')
    await until(() => isSent('away'))
  })

  await t.test('is sent by TLS with a password, and waits until an operator corrects either', async t => {
    const guarded = await mailServer({
      secure: true,
      ...selfSigned(['127.0.0.1']),
      authOptional: false,
      disabledCommands: [],
      onAuth: ({ username, password }, _session, callback) =>
        callback(password === 'p@ss' ? null : new Error('no'), { user: username }),
    })
    stack.defer(guarded.close)
    const at = guarded.url.replace('smtp://', '')
    const trusting = '?tls.rejectUnauthorized=false'
    const lines: string[] = []
    await write({ key: 'guarded' })
    for (const SMTP_URL of [`smtps://me:p%40ss@${at}`, `smtps://me:wrong@${at}/${trusting}`]) {
      const { attempts } = await row('guarded')
      await using _ = sender({ SMTP_URL, MAIL_FROM, MAIL_OUTBOX: '' }, lines)
      await hurry('guarded')
      await until(async () => (await row('guarded')).attempts > attempts)
    }
    t.match(await row('guarded'), { sent_at: null, given_up_at: null, next_at: Date, last_error: /535/ })
    await using _ = sender(
      { SMTP_URL: `smtps://me:p%40ss@${at}/${trusting}`, MAIL_FROM, MAIL_OUTBOX: '' },
      lines,
    )
    await hurry('guarded')
    await until(() => isSent('guarded'))
    t.equal(guarded.taken.length, 1)
    t.notMatch(lines.join(''), /p@ss|p%40ss|wrong/)
  })

  await t.test('is sent again by the next process when one is killed while it sends', async t => {
    post.answer = { silent: true }
    const child = spawn(path.join(import.meta.dirname, 'main.ts'), smtp)
    await write({ key: 'killed', to: 'killed@example.org' })
    await until(() => post.held.length > 0)
    t.notOk(await isSent('killed'))
    await kill(child)
    post.answer = {}
    await using _ = await start(smtp)
    await until(() => isSent('killed'))
    const [first] = post.held
    const again = post.taken.find(({ to }) => to.includes('killed@example.org'))
    t.equal(again?.id, first?.id, 'with the same Message-ID')
    t.equal(again?.text, first?.text)
  })

  await t.test('cannot contain further headers or recipients', async t => {
    await using _ = await start(smtp)
    const before = post.taken.length
    const key = 'subject'
    await write({ key, subject: 'Hello\r\nBcc: eve@example.org\r\n\r\nbody', to: 'ada@example.org' })
    await until(() => isSent(key))
    const [headers = ''] = post.taken.at(-1)?.text.split('\r\n\r\n') ?? []
    t.notMatch(headers, /^Bcc:/im)
    t.strictSame(post.taken.at(-1)?.to, ['ada@example.org'])

    const recipients = ['a@b.example\r\nRCPT TO:<eve@example.org>', 'a@b.example, eve@example.org']
    for (const [n, to] of recipients.entries()) {
      await write({ key: `to-${n}`, to })
      await until(async () => (await row(`to-${n}`)).given_up_at !== null)
    }
    t.notOk(post.taken.slice(before).some(({ to }) => to.includes('eve@example.org')))
  })

  await t.test('is a file that only its owner can read without a server', async t => {
    const MAIL_OUTBOX = path.join(t.testdir(), 'data', 'outbox')
    const lines: string[] = []
    const outbox = { SMTP_URL: '', MAIL_FROM: '', MAIL_OUTBOX }
    {
      await using _ = sender(outbox, lines)
      await write({ key: 'file', subject: 'Zwölf Schlüssel' })
      await until(() => isSent('file'))
    }
    const [name = '', ...others] = fs.readdirSync(MAIL_OUTBOX)
    t.strictSame(others, [])
    t.match(name, /^\d{4}-\d\d-\d\dT[\d-]+\.\d{3}Z-[0-9a-f]{12}\.eml$/)
    const file = path.join(MAIL_OUTBOX, name)
    t.equal(fs.statSync(file).mode & 0o777, 0o600)
    const message = fs.readFileSync(file, 'utf8')
    t.match(message, /^From: Tidemark <tidemark@localhost>\r\nTo: ada@example\.org\r\nSubject: =\?UTF-8/m)
    t.match(message, secretText)
    t.equal(lines.filter(line => line.includes(`mails are written to ${MAIL_OUTBOX}`)).length, 1)

    await pool.query(
      `update account.mail set body = $1, next_at = clock_timestamp(), sent_at = null
      where key = 'file'`,
      [seal(secretText)],
    )
    await using _ = await start({ ...env, SECRETS_KEY, MAIL_OUTBOX })
    await until(() => isSent('file'))
    t.strictSame(fs.readdirSync(MAIL_OUTBOX), [name], 'written twice, it is the same file')
    t.equal(fs.readFileSync(file, 'utf8'), message)
  })

  await t.test('is in every heartbeat when it was given up or is late, without a failure', async t => {
    const listening = listenForHeartbeats(bus)
    t.teardown(listening.close)
    const latest = () => listening.latestByService().get('auth-billing')?.heartbeat
    await pool.query('truncate account.mail')
    for (const key of ['young', 'late', 'later', 'lost', 'left']) await write({ key })
    await pool.query(`update account.mail set
      created_at = case when key = 'young' then created_at else created_at - interval '11 minutes' end,
      given_up_at = case when key = 'lost' then now() end, sent_at = case when key = 'left' then now() end,
      next_at = case when key in ('lost', 'left') then null else now() + interval '1 hour' end`)
    await using _ = await start(smtp)
    await until(() => latest()?.cause === '1 mail given up, 2 mails unsent for more than 10 minutes')
    t.equal(latest()?.status, 'pass', 'a signup with a wrong address does not affect others')
    const resent = call(bus, mailsRpc.resendMails, {}, { timeoutMs: 9_000 })
    t.strictSame(await resent, { mails: 4 }, 'an operator retries them')
    for (const key of ['young', 'late', 'later', 'lost']) await until(() => isSent(key))
    await until(() => latest() !== undefined && latest()?.cause === undefined)
  })

  await t.test('waits when the settings name no transport, and wrong settings are rejected', async t => {
    await using _ = await start({ ...env, SECRETS_KEY })
    const wrong = [
      { SMTP_URL: 'http://mail.example', MAIL_FROM },
      { SMTP_URL: post.url },
      { SMTP_URL: post.url, MAIL_FROM: 'a\r\nBcc: b' },
    ]
    for (const settings of wrong)
      await t.rejects(start({ ...env, SECRETS_KEY, ...settings }), { code: 'SETTINGS_BAD' })
    await write({ key: 'waits' })
    t.match(await row('waits'), { attempts: 0, sent_at: null, next_at: Date })
  })
})

test('A mail that cannot be sent is retried for about a day, with growing pauses', async t => {
  const pauses: number[] = []
  for (let attempts = 1; ; attempts++) {
    const pause = pauseAfter(attempts, false)
    if (pause === null) break
    pauses.push(pause)
  }
  const hours = pauses.reduce((sum, pause) => sum + pause, 0) / 3600
  t.ok(hours > 20 && hours <= 24)
  t.strictSame(
    pauses,
    [...pauses].sort((a, b) => a - b),
  )
  t.equal(pauseAfter(1, true), null)
})

type Taken = { to: string[]; text: string; id: string | undefined }

/** Starts a mail server on loopback that stores the mails it receives, and responds as `answer` says. */
async function mailServer(more: SMTPServerOptions = {}) {
  const post = {
    taken: [] as Taken[],
    held: [] as Taken[],
    /** `to` has a reply code by the local part of the recipient. `silent`: the server takes a mail and never confirms it. */
    answer: {} as { to?: Record<string, number>; silent?: boolean },
    url: '',
    close: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    closeTimeout: 50,
    ...more,
    onRcptTo({ address }, _session, callback) {
      const responseCode = post.answer.to?.[address.split('@')[0] ?? '']
      callback(responseCode ? Object.assign(new Error(`not for ${address}`), { responseCode }) : null)
    },
    async onData(stream, session: SMTPServerSession, callback) {
      const text = Buffer.concat(await stream.toArray()).toString()
      const id = /^Message-ID: (.*)\r$/m.exec(text)?.[1]
      const taken = { to: session.envelope.rcptTo.map(({ address }) => address), text, id }
      if (post.answer.silent) return void post.held.push(taken)
      post.taken.push(taken)
      callback()
    },
  })
  server.on('error', () => {})
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  post.url = `smtp://127.0.0.1:${(listening.address() as net.AddressInfo).port}`
  return post
}
