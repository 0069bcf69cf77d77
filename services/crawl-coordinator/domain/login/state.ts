/** The state of a run's login. */

/** `earlier`: number of attempts before the last reopening of the run. */
export type Login = { attempt: number; earlier: number } & (
  | { state: 'ordered' | 'in' | 'failed' }
  | { state: 'waiting'; notBefore: number }
)

/** The failure of a login, or the sign by which its loss was detected at `url`. */
export type LostLogin =
  | { reason: 'login_failed'; cause: string; because: string | null }
  | { reason: 'logged_out'; sign: 'selector' | 'redirect' | 'status'; because: string; url: string }
