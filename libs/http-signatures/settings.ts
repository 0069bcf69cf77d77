/** Settings of Web Bot Auth. The processes that sign and those that serve the directory must have equal values. */
import { Type } from 'typebox'
import { signingKeyFault } from './signing-key.ts'

/** Returns why a text cannot be a signing key, or null. An empty text means that there is no key. */
export const keyFault = (text: string): string | null => (text === '' ? null : signingKeyFault(text))

export const signingSettings = {
  BOT_KEY: Type.String({
    default: '',
    check: keyFault,
    description:
      'Ed25519 private key that signs the requests of the crawler: its seed of 32 bytes in base64, or PKCS #8 as PEM. [Create one](signed-requests.md#turn-it-on). Unset: requests are not signed.',
  }),
  BOT_DIRECTORY_URL: Type.String({
    default: '',
    check: (text: string) =>
      text === '' || originOf(text) !== null ? null : 'must be an https origin without a path',
    description:
      'Public https origin at which the gateway serves the directory of keys, such as `https://crawler.example.com`. Default: PUBLIC_URL.',
  }),
}

/** Settings of the process that serves the directory. */
export const directorySettings = {
  BOT_KEY_SECOND: Type.String({
    default: '',
    check: keyFault,
    description:
      'A second key in the directory, which signs no requests: the next or the former BOT_KEY, while it is [replaced](signed-requests.md#replace-the-key).',
  }),
}

export type SigningSettings = { BOT_KEY: string; BOT_DIRECTORY_URL: string; PUBLIC_URL: string }

/** Returns the origin of the directory. */
export const directoryOrigin = ({
  BOT_DIRECTORY_URL,
  PUBLIC_URL,
}: Omit<SigningSettings, 'BOT_KEY'>): string | null => originOf(BOT_DIRECTORY_URL || PUBLIC_URL)

/** Returns what the settings lack together, each as the fault of one. */
export const signingFaults = ({ BOT_KEY, ...addresses }: SigningSettings): string[] =>
  BOT_KEY === '' || directoryOrigin(addresses) !== null
    ? []
    : [
        'BOT_DIRECTORY_URL is missing: BOT_KEY needs the public https origin of the gateway, unless PUBLIC_URL is one',
      ]

/** Returns a public https origin as a URL serializes it; null if the text is anything else. */
function originOf(text: string): string | null {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.href === `${url.origin}/` ? url.origin : null
}
