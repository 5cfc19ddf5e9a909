import { ProblemError } from '@gatehouse/shared';

/** The user was there when the request began, and was deleted meanwhile. 404, as from then on. */
export class DeletedUserError extends ProblemError {
  constructor() {
    super(404, 'there is no such user');
  }
}
