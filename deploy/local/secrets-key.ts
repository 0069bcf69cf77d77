/** The key that customers' secrets are sealed with: given by SECRETS_KEY, or made once and kept beside the data. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** 32 bytes in hex. A fresh one is announced loudly: whoever loses it loses what it sealed. */
export function secretsKey(dir: string, env: NodeJS.ProcessEnv, report: (line: string) => void): string {
  if (env.SECRETS_KEY) return env.SECRETS_KEY
  const file = path.join(dir, 'secrets.key')
  if (fs.existsSync(file)) return fs.readFileSync(file, 'utf8').trim()
  const key = randomBytes(32).toString('hex')
  fs.writeFileSync(file, `${key}\n`, { mode: 0o600, flag: 'wx' })
  report(`!! A key for customers' secrets was made: ${file}`)
  report(
    '!! Keep a copy: without it, stored headers, cookies and webhook secrets cannot be read. Or set SECRETS_KEY.',
  )
  return key
}
