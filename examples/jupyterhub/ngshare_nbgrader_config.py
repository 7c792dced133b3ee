"""nbgrader's settings for everybody with ngshare, in /etc/jupyter."""

from ngshare_exchange import configureExchange

c = get_config()  # noqa: F821 - nbgrader hands it in
c.CourseDirectory.course_id = "attention"
configureExchange(c, "http://127.0.0.1:8000/services/ngshare")
