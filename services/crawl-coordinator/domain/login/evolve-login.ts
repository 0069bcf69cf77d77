/** Applies the events about the login to a run. */

import type { Changes } from '../evolve/changes.ts'
import type { Running } from '../run.ts'
import { ordersSent, outcomeReceived } from '../silence.ts'
import type { Login } from './state.ts'

export const loginChanges: Changes = {
  LoginOrdered: (run, { attempt, again }, at) => {
    ordersSent(run, at, again)
    change(run, { state: 'ordered', attempt })
  },
  LoginRetried: (run, { attempt, notBefore }, at) => {
    outcomeReceived(run, at)
    change(run, { state: 'waiting', attempt, notBefore: Date.parse(notBefore) })
  },
  LoggedIn: (run, { attempt }, at) => {
    outcomeReceived(run, at)
    change(run, { state: 'in', attempt })
  },
  LoginFailed: (run, { attempt, reason, because }, at) => {
    outcomeReceived(run, at)
    change(run, { state: 'failed', attempt })
    run.lost = { reason: 'login_failed', cause: reason, because }
  },
  LoggedOut: (run, { url, sign, because }, at) => {
    outcomeReceived(run, at)
    run.lost = { reason: 'logged_out', sign, because, url }
  },
}

type State<L> = L extends Login ? Omit<L, 'earlier'> : never

function change(run: Running, to: State<Login>): void {
  if (run.login !== null) run.login = { earlier: run.login.earlier, ...to }
}
