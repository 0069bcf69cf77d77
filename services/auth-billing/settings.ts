/** Everything that can be set for auth-billing. */
import { connections, databaseConnection, secrets } from '@tidemark/config/connections'
import { Type } from 'typebox'
import { mail } from './settings-mail.ts'
import { payments } from './settings-payments.ts'
import { signup } from './settings-signup.ts'

export const Settings = Type.Object({
  ...connections,
  ...databaseConnection,
  ...secrets,
  ...mail,
  ...signup,
  ...payments,
})
