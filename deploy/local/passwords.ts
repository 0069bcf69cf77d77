/**
 * Derives the passwords for the embedded servers of an installation, and the operator's key, from one key, which is
 * created once and stored beside the data. If it is lost, the next start creates another.
 */
import { createHmac, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** Returns the password for a name, always the same: 64 hex digits. */
export type PasswordOf = (name: string) => string

export function passwordsIn(dir: string): PasswordOf {
  const key = readKey(path.join(dir, 'passwords.key'))
  return name => createHmac('sha256', key).update(name).digest('hex')
}

/** Returns the operator's key: ADMIN_KEY, or one that is derived like the passwords. */
export const operatorKeyOf = (env: NodeJS.ProcessEnv, passwordOf: PasswordOf): string =>
  env.ADMIN_KEY || passwordOf('operator')

function readKey(file: string): string {
  if (fs.existsSync(file)) return fs.readFileSync(file, 'utf8').trim()
  const key = randomBytes(32).toString('hex')
  const fresh = `${file}.new`
  fs.rmSync(fresh, { force: true })
  fs.writeFileSync(fresh, `${key}\n`, { mode: 0o600 })
  fs.renameSync(fresh, file)
  return key
}
