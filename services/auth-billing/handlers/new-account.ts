/** A new project's key, and the mail that brings it. The key is here, in the mail and in one answer, and nowhere else. */
import { randomInt } from 'node:crypto'
import { prefixOf } from '@tidemark/contracts/api-key'
import type { NewAccount } from '../adapters/new-account.ts'
import { hashOf, makeKey } from '../domain/key.ts'
import { keyMail } from '../domain/key-mail.ts'

type Wanted = Omit<NewAccount, 'key' | 'mail'> & {
  baseUrl: string
  /** Of any number of mails under one, one is sent. */
  mailKey: string
}

const label = 'signup'

export function newAccount({ baseUrl, mailKey, ...wanted }: Wanted): {
  plaintext: string
  account: NewAccount
} {
  const { name: projectName, tier, email } = wanted
  const plaintext = makeKey(randomInt)
  const key = { prefix: prefixOf(plaintext), hash: hashOf(plaintext), label }
  const mail = { key: mailKey, to: email, ...keyMail({ projectName, tier, apiKey: plaintext, baseUrl }) }
  return { plaintext, account: { ...wanted, key, mail } }
}
