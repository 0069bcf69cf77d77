/** Everything that can be set for auth-billing. */
import { connections, databaseConnection, secrets } from '@tidemark/config/connections'
import { Type } from 'typebox'

export const Settings = Type.Object({ ...connections, ...databaseConnection, ...secrets })
