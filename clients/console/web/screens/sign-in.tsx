/** Signs the reader in with a key of their project. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useCommand } from '../data/reading.ts'
import { session, signIn } from '../data/session.ts'
import { Field } from '../parts/layout.tsx'
import { Fault } from '../parts/messages.tsx'

export function SignIn() {
  const key = useSignal('')
  const command = useCommand(() => signIn(key.value.trim()))
  const notice = session.value.state === 'out' ? session.value.notice : null
  useEffect(() => {
    document.title = 'Sign in · Tidemark'
  }, [])
  const send = (event: Event) => {
    event.preventDefault()
    void command.run()
  }
  return (
    <main class="sign-in" id="main">
      <form onSubmit={send}>
        <p class="brand">Tidemark</p>
        <h1>Sign in</h1>
        {notice && <p role="status">{notice}</p>}
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
        <button type="submit" class="main" disabled={command.isRunning}>
          Sign in
        </button>
        <Fault error={command.error.value} />
        <p class="quiet">
          <code>npm start</code> prints an address that signs in, and the key.
        </p>
      </form>
    </main>
  )
}
