/**
 * Writes the mail that delivers the key of a new project: plain text in lines of at most 76 characters, so that mail
 * programs do not fold them and the key can be copied.
 */
import type { Tier } from '@tidemark/contracts/primitives'

export type NewKey = { projectName: string; tier: Tier; apiKey: string; baseUrl: string }

export const subjectFor = (projectName: string): string => `Your Tidemark key for ${projectName}`

export const keyMail = ({ projectName, tier, apiKey, baseUrl }: NewKey) => ({
  subject: subjectFor(projectName),
  text: `Hello,

your project is ready. This is its API key:

    ${apiKey}

It belongs to
    project  ${projectName}
    tier     ${tier}

Keep the key like a password. It is shown only once: the service stores
its hash and cannot send the key again. If others may have seen it,
create another one with POST /v1/keys/rotate while this one is valid.
If it is lost, write to the operator of this installation. Only the
operator can then create another one for this project.

Your first scan:

    KEY=${apiKey}
    curl ${baseUrl}/v1/scan \\
      -H "Authorization: Bearer $KEY" \\
      -H "Content-Type: application/json" \\
      -d '{"url":"https://example.com/"}'

Your usage and your limits:

    curl ${baseUrl}/v1/usage \\
      -H "Authorization: Bearer $KEY"

Every endpoint: ${baseUrl}/docs

You did not sign up? Then an address was mistyped: delete this mail.
`,
})
