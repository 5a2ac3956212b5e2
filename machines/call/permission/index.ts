export { accessOf, type Access } from './access.ts';
export {
  permission,
  rulingOf,
  type Decision,
  type Permission,
  type PermissionRequest,
  type Ruling,
} from './permission.ts';
