/** Signs the reader in with a key of their project, or with the key of the address after their consent. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useCommand } from '../data/reading.ts'
import { type OpenSession, prefixOf, session, signIn } from '../data/session.ts'
import { FreshKey } from '../parts/fresh-key.tsx'
import { Field, submitting } from '../parts/layout.tsx'
import { Fault } from '../parts/messages.tsx'

export function SignIn() {
  const offer = session.value.state === 'offered' ? session.value : null
  const current = offer?.current ?? null
  const key = useSignal(offer?.key ?? '')
  const button = useRef<HTMLButtonElement>(null)
  const command = useCommand(() => signIn(key.value.trim()))
  const notice = session.value.state === 'out' ? session.value.notice : null
  useEffect(() => {
    document.title = 'Sign in · Tidemark'
    // If there is a session, the button gets no focus, so that a keystroke cannot replace the session by accident.
    if (offer !== null && current === null) button.current?.focus()
  }, [])
  return (
    <main class="sign-in" id="main">
      <form onSubmit={submitting(command.run)}>
        <p class="brand">Tidemark</p>
        <h1>Sign in</h1>
        {notice && <p role="status">{notice}</p>}
        <FreshKey />
        {offer && <Offer prefix={prefixOf(offer.key)} current={current} />}
        <Field
          label="API key"
          hint="It is sealed in a cookie that only this console receives, and that no script can read. The session ends after 12 hours, or when the key is revoked."
        >
          {id => (
            <input
              id={id}
              type="password"
              autocomplete="current-password"
              spellcheck={false}
              required
              placeholder="tmk_…"
              value={key.value}
              onInput={event => (key.value = event.currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit" class="main" disabled={command.isRunning} ref={button}>
          Sign in
        </button>
        {current && (
          <button type="button" onClick={() => (session.value = current)}>
            Keep my session
          </button>
        )}
        <Fault error={command.error.value} />
        <p class="quiet">
          <code>npm start</code> prints the key, and an address that fills in this form. The key of the
          operator (<code>ADMIN_KEY</code>) opens the state of the installation.
        </p>
      </form>
    </main>
  )
}

const Offer = ({ prefix, current }: { prefix: string; current: OpenSession | null }) => (
  <p role="status">
    {current && (
      <>
        You are signed in{' '}
        {current.role === 'operator' ? (
          'as the operator'
        ) : (
          <>
            with <code>{current.prefix}…</code>
          </>
        )}
        .{' '}
      </>
    )}
    Sign in with {prefix === 'operator' ? 'the key of an operator' : <code>{prefix}…</code>}, the key of the
    address? Continue only if it is your key.
  </p>
)
