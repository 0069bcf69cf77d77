/**
 * The mail that brings a new project its key: plain text in lines of at most 76 characters, so that none is folded
 * and a key can be copied from the file itself.
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

Keep the key like a password. It is shown this once: only a fingerprint
of it is stored, and nobody can send it again. If others may have seen
it, make another one with POST /v1/keys/rotate, while you have this one.
If it is lost, write to the operator of this installation, who alone can
then make another one for this project.

Your first scan:

    KEY=${apiKey}
    curl ${baseUrl}/v1/scan \\
      -H "Authorization: Bearer $KEY" \\
      -H "Content-Type: application/json" \\
      -d '{"url":"https://example.com/"}'

What you have used, and what you may use:

    curl ${baseUrl}/v1/usage \\
      -H "Authorization: Bearer $KEY"

Every endpoint: ${baseUrl}/docs

You did not sign up? Somebody mistyped an address: delete this mail.
`,
})
