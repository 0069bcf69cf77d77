/** A program beside this file as a child process with a message channel. It ends with its parent. */
import { type ChildProcess, fork, type Serializable } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export type Child = AsyncDisposable & {
  pid: number
  /** Resolves to the next message. Rejects if the child ends first. */
  receive<Message>(): Promise<Message>
  /** Sends a message and resolves to the response. */
  request<Message>(message: Serializable): Promise<Message>
}

/** @param program its file, and environment variables beside those of this process */
export function startChild(
  program: string | { file: string; env: NodeJS.ProcessEnv },
  ...args: string[]
): Child {
  const { file, env } = typeof program === 'string' ? { file: program, env: {} } : program
  const child = fork(join(import.meta.dirname, file), args, { env: { ...process.env, ...env } })
  const ended = endOf(child, file)
  ended.catch(() => {}) // reported to the callers that wait for a message
  const receive = async <Message>() => {
    const [message] = await Promise.race([once(child, 'message'), ended])
    return message as Message
  }
  return {
    pid: child.pid ?? 0,
    receive,
    request(message) {
      const answer = receive()
      child.send(message)
      return answer as never
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await ended.catch(() => {})
    },
  }
}

async function endOf(child: ChildProcess, file: string): Promise<never> {
  const [code, signal] = await once(child, 'exit')
  throw new Error(`${file} ended (${signal ?? code})`)
}
