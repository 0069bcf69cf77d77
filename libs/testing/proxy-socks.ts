/** The SOCKS 5 half of the test proxies (RFC 1928, 1929): one command with a correct or faulty response. */
import { once } from 'node:events'
import type net from 'node:net'
import type { Conversation, ProxyFault } from './proxy.ts'

const reply = (code: number) => Buffer.of(5, code, 0, 1, 0, 0, 0, 0, 0, 0)

/** Faults at the greeting. */
const faultsAtOnce: Partial<Record<ProxyFault, (client: net.Socket) => void>> = {
  hangs() {},
  closes: client => void client.destroy(),
  garbage: client => void client.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  endless(client) {
    const more = () => {
      while (!client.destroyed && client.write(Buffer.alloc(8_192, 5)));
    }
    client.on('drain', more)
    more()
  },
}

/** Faults at the command. */
const faultsAtLast: Partial<Record<ProxyFault, (client: net.Socket) => void>> = {
  truncates: client => void client.end(reply(0).subarray(0, 6)),
  drips: client => void client.write(reply(0).subarray(0, 6)),
  refuses: client => void client.end(reply(2)),
  unreachable: client => void client.end(reply(4)),
  talkative: client => void client.write(Buffer.concat([reply(0), Buffer.from('more')])),
  'silent-tunnel': client => void client.write(reply(0)),
}

export async function answerSocks({ client, login, fault, open }: Conversation): Promise<void> {
  const next = async () => ((await once(client, 'data')) as [Buffer])[0]
  const methods = (await next()).subarray(2)
  const atOnce = fault && faultsAtOnce[fault]
  if (atOnce) return atOnce(client)
  const method = login ? 2 : 0
  if (!methods.includes(method)) return void client.end(Buffer.of(5, 255))
  client.write(Buffer.of(5, method))
  if (login && !isLogin(await next(), login)) return void client.end(Buffer.of(1, 1))
  if (login) client.write(Buffer.of(1, 0))
  const command = await next()
  const atLast = fault && faultsAtLast[fault]
  if (atLast) return atLast(client)
  const { host, port } = readCommand(command)
  const target = await open(host, port).catch(() => null)
  if (target === null) return void client.end(reply(5))
  client.write(reply(0))
  client.pipe(target).pipe(client)
}

function isLogin(message: Buffer, { user, password }: { user: string; password: string }): boolean {
  const end = 2 + message.readUInt8(1)
  return message.toString('utf8', 2, end) === user && message.toString('utf8', end + 1) === password
}

function readCommand(command: Buffer): { host: string; port: number } {
  const type = command.readUInt8(3)
  const port = command.readUInt16BE(command.length - 2)
  const bytes = command.subarray(4, command.length - 2)
  if (type === 1) return { host: bytes.join('.'), port }
  if (type === 3) return { host: bytes.toString('latin1', 1), port }
  const groups = Array.from({ length: 8 }, (_, n) => bytes.readUInt16BE(2 * n).toString(16))
  return { host: groups.join(':'), port }
}
