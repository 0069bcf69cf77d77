/**
 * Creates the key of a new project, and the mail that delivers it. The plain key exists only here, in the mail and in
 * one response.
 */
import type { Tier } from '@tidemark/contracts/primitives'
import { makeKey, type StoredKey } from './key.ts'
import { keyMail } from './key-mail.ts'

type Wanted = {
  name: string
  tier: Tier
  email: string
  /** The intent that reserves the name, and its payment; null for a free project. */
  paid: Paid | null
  at: string
  trace: string | undefined
}
export type Paid = {
  intentId: number
  mode: 'live' | 'mock'
  customer: string | null
  subscription: string | null
}

export type NewAccount = Wanted & {
  key: StoredKey
  mail: Mail
}
export type Mail = {
  /** The key of the mail. If two mails have the same key, only the first is stored and sent. */
  key: string
  to: string
  subject: string
  text: string
}

const label = 'signup'

/**
 * @param below as for `makeKey`
 * @returns the key itself, and the account with the hash of the key and the mail
 */
export function newAccount(
  { baseUrl, mailKey, ...wanted }: Wanted & { baseUrl: string; mailKey: string },
  below: (n: number) => number,
): { plaintext: string; account: NewAccount } {
  const { name: projectName, tier, email } = wanted
  const { plaintext, key } = makeKey(label, below)
  const mail = { key: mailKey, to: email, ...keyMail({ projectName, tier, apiKey: plaintext, baseUrl }) }
  return { plaintext, account: { ...wanted, key, mail } }
}
