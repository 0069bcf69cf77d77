/**
 * Derives the passwords for the embedded servers of an installation, and the operator's key, from one key, which is
 * created once and stored beside the data. If it is lost, the next start creates another.
 */
import { createHmac, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { writeDurably } from './durable-file.ts'
import { LaunchError } from './launch-error.ts'

/** Returns the password for a name, always the same: 64 hex digits. */
export type PasswordOf = (name: string) => string

export function passwordsIn(dir: string): PasswordOf {
  const key = readKey(path.join(dir, 'passwords.key'))
  return name => createHmac('sha256', key).update(name).digest('hex')
}

/** Returns the operator's key: ADMIN_KEY, or one that is derived like the passwords. */
export const operatorKeyOf = (env: NodeJS.ProcessEnv, passwordOf: PasswordOf): string =>
  env.ADMIN_KEY || passwordOf('operator')

/** Throws if the file has no key: passwords that are derived from any other text could be guessed. */
function readKey(file: string): string {
  if (!fs.existsSync(file)) writeDurably(file, `${randomBytes(32).toString('hex')}\n`)
  const key = fs.readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(key))
    throw new LaunchError(
      'SETTINGS_BAD',
      `${file} contains no key of 64 hex digits. Restore it from a copy. Without a copy remove it: the next start creates another one, and with it other passwords and another operator's key.`,
    )
  return key
}
