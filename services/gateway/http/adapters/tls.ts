/**
 * The TLS certificate of the gateway, from two PEM files that can be renewed while it runs. The pair is validated as a whole
 * before its use, so a half-written pair changes nothing.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { SettingsError } from '@tidemark/config/settings'

/** The certificate chain and its private key, both in PEM. */
export type Tls = { cert: string; key: string; life: Life }
/** The validity of the certificate, in ms since 1970 (notBefore and notAfter, RFC 5280, 4.1.2.5). */
type Life = { from: number; until: number }
export type TlsFiles = { TLS_CERT: string; TLS_KEY: string }

const maxBytes = 1024 ** 2
const everyMs = 10_000

/** Reads and validates the files. Returns null if none is named. Throws SettingsError with all faults of both. */
export function readTls({ TLS_CERT, TLS_KEY }: TlsFiles): Tls | null {
  if (!TLS_CERT && !TLS_KEY) return null
  const cert = read('TLS_CERT', TLS_CERT, 'certificate', text => new X509Certificate(text))
  const key = read('TLS_KEY', TLS_KEY, 'private key', text => createPrivateKey(text))
  const faults = [cert, key].flatMap(({ fault }) => fault ?? [])
  if (faults.length === 0) faults.push(...pairFaults(cert, key))
  if (faults.length > 0 || !cert.parsed) throw new SettingsError(faults)
  return { cert: cert.text, key: key.text, life: lifeOf(cert.parsed) }
}

const lifeOf = ({ validFromDate, validToDate }: X509Certificate): Life => ({
  from: validFromDate.getTime(),
  until: validToDate.getTime(),
})

type Reading<Parsed> = { text: string; parsed?: Parsed; fault?: string }

function read<Parsed>(
  name: string,
  file: string,
  noun: string,
  parse: (text: string) => Parsed,
): Reading<Parsed> {
  if (!file) return { text: '', fault: `${name} is missing: TLS_CERT and TLS_KEY go together` }
  try {
    if (statSync(file).size > maxBytes) return { text: '', fault: `${name} names a file of more than 1 MiB` }
    const text = readFileSync(file, 'utf8')
    return { text, parsed: parse(text) }
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException
    const fault = syscall
      ? `names a file that cannot be read (${code})`
      : `names a file without a ${noun} in PEM`
    return { text: '', fault: `${name} ${fault}` }
  }
}

function pairFaults(cert: Reading<X509Certificate>, key: Reading<KeyObject>): string[] {
  if (!key.parsed || !cert.parsed?.checkPrivateKey(key.parsed))
    return ['TLS_KEY is not the key of the certificate in TLS_CERT']
  try {
    createSecureContext({ cert: cert.text, key: key.text })
    return []
  } catch (error) {
    return [`TLS_CERT cannot be used: ${(error as Error).message}`]
  }
}

type Watching = {
  /** The pair in use. */
  now: Tls
  /** Receives each new pair. */
  renewed: (tls: Tls) => void
  /** Receives the error once for each unusable state of the files; the previous pair stays in use. */
  faulty: (error: unknown) => void
  intervalMs?: number
}

/** Checks the files for a renewed certificate at an interval until it is disposed. `shown` returns the pair in use. */
export function watchTls(
  files: TlsFiles,
  { now, renewed, faulty, intervalMs = everyMs }: Watching,
): Disposable & { shown: () => Tls } {
  let used = now
  let reportedFault = ''
  const timer = setInterval(look, intervalMs).unref()
  return { shown: () => used, [Symbol.dispose]: () => clearInterval(timer) }

  function look(): void {
    try {
      const found = readTls(files)
      reportedFault = ''
      if (found === null || (found.cert === used.cert && found.key === used.key)) return
      renewed(found)
      used = found
    } catch (error) {
      if (String(error) !== reportedFault) faulty(error)
      reportedFault = String(error)
    }
  }
}
