"""What participants are given to read: exhibits, speeches, their digest, and the fences round all of it."""
