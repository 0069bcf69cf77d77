/** The HTTP half of the test proxies: one CONNECT with a correct or faulty response (RFC 9110, 9.3.6). */
import { once } from 'node:events'
import type net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Conversation, ProxyFault } from './proxy.ts'

const established = 'HTTP/1.1 200 Connection established\r\n\r\n'
const maxDrips = 2_000

type Misbehave = (client: net.Socket) => Promise<void> | void

const faults: Partial<Record<ProxyFault, Misbehave>> = {
  hangs() {},
  closes: client => void client.destroy(),
  truncates: client => void client.end('HTTP/1.1 200 Conn'),
  garbage: client => void client.end('SSH-2.0-OpenSSH_9.7\r\n\r\n'),
  refuses: client => void client.end('HTTP/1.1 403 Forbidden\r\n\r\n'),
  unreachable: client => void client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'),
  talkative: client => void client.write(`${established}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nno`),
  'silent-tunnel': client => void client.write(established),
  async drips(client) {
    client.write('HTTP/1.1 200 OK\r\nx-drip: ')
    for (let drip = 0; drip < maxDrips && !client.destroyed; drip++) {
      client.write('.')
      await sleep(20)
    }
  },
  endless(client) {
    client.write('HTTP/1.1 200 OK\r\n')
    const more = () => {
      while (!client.destroyed && client.write(`x-more: ${'y'.repeat(8_000)}\r\n`));
    }
    client.on('drain', more)
    more()
  },
}

export async function answerConnect({ client, login, fault, open }: Conversation): Promise<void> {
  const [data] = (await once(client, 'data')) as [Buffer]
  const request = data.toString('latin1')
  const misbehave = fault && faults[fault]
  if (misbehave) return misbehave(client)
  const [, authority = ''] = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(request) ?? []
  const wanted = login && `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`
  const [, given] = /^proxy-authorization: (.*?)\r\n/im.exec(request) ?? []
  if (wanted && given !== wanted) {
    client.end('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\n\r\n')
    return
  }
  const colon = authority.lastIndexOf(':')
  const host = authority.slice(0, colon).replace(/^\[|\]$/g, '')
  const target = await open(host, Number(authority.slice(colon + 1))).catch(() => null)
  if (target === null) return void client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  client.write(established)
  client.pipe(target).pipe(client)
}
