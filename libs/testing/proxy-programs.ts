/** Other implementations of proxies, tinyproxy and microsocks, started on loopback for a test. */
import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '@tidemark/config/free-ports'

export type ProxyProgram = AsyncDisposable & { url: string }

type Login = { user: string; password: string }

const host = '127.1.0.60'
const maxTries = 200

/** @param program path of the program */
export async function startTinyproxy(program: string, { user, password }: Login): Promise<ProxyProgram> {
  const dir = await fs.mkdtemp(path.join(os.tmpdir(), 'tinyproxy-'))
  const [port = 0] = await freePorts(1, host)
  const file = path.join(dir, 'tinyproxy.conf')
  const lines = [`Port ${port}`, `Listen ${host}`, 'Timeout 60', 'LogLevel Error', 'MaxClients 50']
  await fs.writeFile(file, [...lines, `BasicAuth ${user} ${password}`, ''].join('\n'))
  const child = spawn(program, ['-d', '-c', file], { stdio: 'ignore' })
  return running(child, `http://${user}:${password}@${host}:${port}`, port, () =>
    fs.rm(dir, { recursive: true, force: true }),
  )
}

/** @param program path of the program */
export async function startMicrosocks(program: string, { user, password }: Login): Promise<ProxyProgram> {
  const [port = 0] = await freePorts(1, host)
  const args = ['-i', host, '-p', String(port), '-u', user, '-P', password]
  const child = spawn(program, args, { stdio: 'ignore' })
  return running(child, `socks5://${user}:${password}@${host}:${port}`, port, async () => {})
}

async function running(
  child: ChildProcess,
  url: string,
  port: number,
  tidy: () => Promise<void>,
): Promise<ProxyProgram> {
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill()
    await ended
    await tidy()
  }
  for (let tries = 0; tries < maxTries; tries++) {
    if (await answers(port)) return { url, [Symbol.asyncDispose]: stop }
    await sleep(25)
  }
  await stop()
  throw new Error(`no proxy responds on port ${port}`)
}

function answers(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = net.connect(port, host)
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}
