/** A program beside this file as a child that talks over its channel; it ends when we do. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export type Child = AsyncDisposable & {
  pid: number
  /** The next message; rejects when the child ends instead. */
  hear<Message>(): Promise<Message>
  /** Says a word and hears what it answers. */
  ask<Message>(word: string): Promise<Message>
}

export function startChild(file: string, ...args: string[]): Child {
  const child = fork(join(import.meta.dirname, file), args)
  const ended = endOf(child, file)
  ended.catch(() => {}) // heard by whoever waits for a message
  const hear = async <Message>() => {
    const [message] = await Promise.race([once(child, 'message'), ended])
    return message as Message
  }
  return {
    pid: child.pid ?? 0,
    hear,
    ask(word) {
      const answer = hear()
      child.send(word)
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
