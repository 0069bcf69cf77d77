/**
 * Renders the pages for people who pay in a browser: plain HTML without scripts, with one inline style sheet and
 * nothing from other origins.
 */
import { hash } from 'node:crypto'
import type { MockCheckout } from '@tidemark/contracts/rpc/signup'
import { tiers } from '@tidemark/contracts/tiers'

const style = `
:root { color-scheme: light dark; --ink: #16202a; --paper: #f3f5f7; --card: #fff; --line: #d6dde3; --deep: #0b5c7a; --soft: #5b6874 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6ecf1; --paper: #10161c; --card: #18212a; --line: #2d3a46; --deep: #58b4d6; --soft: #9aa8b4 }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem;
  background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 30rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 2rem }
h1 { margin: 0 0 .5rem; font-size: 1.4rem; line-height: 1.25 }
p { margin: .75rem 0 }
dl { display: grid; grid-template-columns: auto 1fr; gap: .5rem 1.25rem; margin: 1.5rem 0;
  padding: 1rem 0; border: solid var(--line); border-width: 1px 0 }
dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
.note { padding: .6rem .9rem; border-left: 4px solid var(--deep); background: var(--paper) }
.actions { display: flex; flex-wrap: wrap; gap: .75rem }
button { font: inherit; padding: .6rem 1.4rem; border-radius: 8px; border: 1px solid var(--deep); cursor: pointer;
  background: transparent; color: var(--deep) }
button.pay { background: var(--deep); color: var(--card); font-weight: 600 }
button:focus-visible { outline: 3px solid var(--deep); outline-offset: 2px }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere }
footer { margin-top: 1.5rem; color: var(--soft); font-size: .85rem }
`

/**
 * The content security policy of every page: no scripts, nothing from other origins, no frames on other sites, and
 * forms only to this origin.
 */
export const pagePolicy = [
  `default-src 'none'`,
  `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

/**
 * Returns the page with the order, and the buttons to pay or to cancel.
 * @param path path of this page
 */
export const checkoutPage = (checkout: MockCheckout, path: string): string =>
  page(
    `Checkout for ${checkout.projectName}`,
    `<p class="note">This is a practice checkout: no card is needed and no money is paid.</p>
${orderOf(checkout)}
<div class="actions">
<form method="post" action="${text(path)}/pay"><button class="pay">Pay</button></form>
<form method="post" action="${text(path)}/cancel"><button>Cancel</button></form>
</div>`,
  )

export const paidPage = (checkout: MockCheckout): string =>
  page(
    'Paid: your project is ready',
    `<p>${text(mailNotes[checkout.mails](checkout.email))}</p>
${orderOf(checkout)}
<p>With the key from that mail, see what you may use:</p>
<p><code>curl -H "Authorization: Bearer $KEY" $BASE/v1/usage</code></p>
<p>You can close this page.</p>`,
  )

export const expiredPage = (): string =>
  page(
    'This checkout is over',
    `<p>It was not paid in time, and nothing was bought. The name of the project is free again: sign up again.</p>`,
  )

/** Returns the page to which the provider redirects after a payment or a cancellation. */
export const returnedPage = (from: 'paid' | 'cancelled'): string =>
  from === 'paid'
    ? page(
        'Thank you',
        `<p>As soon as your payment is confirmed, which takes some seconds, the project is created and its key is mailed to the
address of your signup.</p><p>You can close this page.</p>`,
      )
    : page(
        'Nothing was bought',
        `<p>You have left the checkout, and nothing was paid. The name of your project is reserved for you for a while.
Until then, the link in the response to your signup leads back to the checkout.</p>`,
      )

const mailNotes: Record<MockCheckout['mails'], (email: string) => string> = {
  server: email => `The key was mailed to ${email}. It should be there within a minute.`,
  folder: email =>
    `This installation has no mail server: the mail to ${email}, with the key, is in its outbox folder (MAIL_OUTBOX), where its operator can read it.`,
  wait: email =>
    `This installation sends no mail yet. The mail to ${email}, with the key, waits until the operator configures a mail server.`,
}

function orderOf({ projectName, tier, email, expiresAt, status }: MockCheckout): string {
  const { pagesPerDay, pagesPerMonth } = tiers[tier]
  const rows: [string, string][] = [
    ['Project', projectName],
    ['Tier', `${tier}: ${count(pagesPerDay)} pages a day, ${count(pagesPerMonth)} a month`],
    [status === 'open' ? 'Key is sent to' : 'Key is for', email],
  ]
  if (status === 'open') rows.push(['Open until', `${expiresAt.slice(0, 16).replace('T', ' ')} UTC`])
  return `<dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${text(value)}</dd>`).join('')}</dl>`
}

const count = (number: number | null): string => number?.toLocaleString('en') ?? 'any number of'

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)} · Tidemark</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${text(title)}</h1>
${body}
<footer>Tidemark</footer>
</main>
</body>
</html>
`

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const text = (plain: string): string => plain.replace(/[&<>"']/g, character => entities[character] ?? '')
